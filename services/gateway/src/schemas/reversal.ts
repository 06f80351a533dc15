import { z } from 'zod';
import { amount, moneyNumber } from './amount.js';
import { answeredId, idOf } from './id.js';
import { idempotencyKey } from './payment.js';
import { always, loose, report } from './rule.js';
import { sent } from './sent.js';
import { text } from './text.js';

export const reverse = z
  .strictObject({
    authorization_id: idOf('authorization').optional().meta({
      description: 'This or `original_idempotency_key`.',
    }),
    original_idempotency_key: idempotencyKey.optional(),
    amount: amount().optional().meta({ description: 'Omit for a full reversal.' }),
    reason: text(255, 0)
      .optional()
      .meta({ examples: ['Order cancelled'] }),
  })
  .superRefine((value, context) => {
    const given = loose(value);
    const names = [given.authorization_id, given.original_idempotency_key];
    const named = names.filter((name) => name !== undefined).length;
    if (named === 1) return;
    report(context, {
      path: ['authorization_id'],
      ...(named === 0
        ? { type: 'required', message: 'is required unless original_idempotency_key is given' }
        : { type: 'ambiguous', message: 'must not be given with original_idempotency_key' }),
    });
  }, always)
  .meta({
    id: 'Reverse',
    ...sent({ authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6', reason: 'Order cancelled' }),
  });

export const reversal = z
  .object({
    authorization_id: answeredId('authorization'),
    reversed: z.boolean().meta({ examples: [true] }),
    released_amount: moneyNumber(),
    partial: z.boolean().meta({ examples: [false] }),
    already_reversed: z.boolean().meta({ examples: [false] }),
    message: z.string().meta({ examples: ['The authorization is reversed.'] }),
  })
  .meta({ id: 'Reversal' });
