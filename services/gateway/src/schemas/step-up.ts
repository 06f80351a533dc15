import { z } from 'zod';
import { moneyNumber } from './amount.js';
import { answeredId } from './id.js';
import { pageOf } from './list.js';
import { sent } from './sent.js';
import { form, text } from './text.js';
import { answeredTime } from './time.js';

export const denyStepUp = z
  .strictObject({
    reason: text(500, 0)
      .optional()
      .meta({ examples: ['Not my purchase'] }),
  })
  .meta({ id: 'DenyStepUp', ...sent({ reason: 'Not my purchase' }) });

export const verifyOtp = z
  .strictObject({
    code: form(/^\d{6}$/, 'must be a code of 6 digits').meta({ examples: ['000000'] }),
  })
  .meta({ id: 'VerifyOtp', ...sent({ code: '000000' }) });

export const pendingStepUpPage = pageOf(
  z
    .object({
      authorization_id: answeredId('authorization'),
      agent_id: answeredId('agent').nullable(),
      amount: moneyNumber(),
      currency: z.string().meta({ examples: ['USD'] }),
      merchant_name: z
        .string()
        .nullable()
        .meta({ examples: ['Corner shop'] }),
      reason_codes: z.array(z.string()).meta({ examples: [['AMOUNT_STEP_UP']] }),
      expires_at: answeredTime(),
      created_at: answeredTime(),
    })
    .meta({ id: 'PendingStepUp' }),
  'PendingStepUpPage',
);

export const stepUpConfirmed = z
  .object({
    success: z.literal(true),
    authorization_id: answeredId('authorization'),
    confirmed_by: answeredId('principal').meta({
      description: 'The acting Principal; `otp:prn_…` where a one-time code confirmed it.',
    }),
    confirmed_at: answeredTime(),
  })
  .meta({ id: 'StepUpConfirmed' });

export const stepUpDenied = z
  .object({
    success: z.literal(true),
    authorization_id: answeredId('authorization'),
    denied_by: answeredId('principal'),
    new_decision: z.literal('DECLINE'),
  })
  .meta({ id: 'StepUpDenied' });
