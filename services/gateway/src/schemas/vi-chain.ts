import { z } from 'zod';
import { always, loose, report } from './rule.js';
import { form } from './text.js';

const maxCredentialBytes = 16 * 1024;
const maxChainBytes = 64 * 1024;

/** Only shape and size are judged here; everything cryptographic is a decision, not an error. */
const credential = form(
  /^[\x21-\x7e]+$/,
  'must be a serialised credential of visible ASCII characters',
).max(maxCredentialBytes, { error: 'must be at most 16 KiB' });

export const viChain = z
  .strictObject({
    version: z.literal('0.1').optional(),
    format: z.literal('vi+sd-jwt').optional(),
    l1: credential.meta({ description: 'Root credential of the issuer.' }),
    l2: credential.meta({ description: "The user's mandates, as presented." }),
    l3_payment: credential.optional().meta({ description: 'Payment mandate signed by the agent.' }),
    l3_checkout: credential.optional().meta({ description: 'Checkout mandate, by the agent.' }),
    l2_checkout: credential
      .optional()
      .meta({ description: 'The part of `l2` that the checkout mandate refers to.' }),
  })
  .superRefine((value, context) => {
    const given = loose(value);
    const pair = ['l3_checkout', 'l2_checkout'] as const;
    const [missing, ...others] = pair.filter((name) => given[name] === undefined);
    if (missing && others.length === 0) {
      report(context, {
        path: [missing],
        type: 'missing',
        message: 'is required: l3_checkout and l2_checkout come together',
      });
    }
    if (totalLength(given) > maxChainBytes) {
      report(context, { path: [], type: 'too_large', message: 'must be at most 64 KiB' });
    }
  }, always)
  .meta({
    id: 'ViChain',
    description:
      'Verifiable intent: what issuer, user and agent signed. Whatever does not verify gives a ' +
      'decision with a `VI_*` code.',
  });

function totalLength(given: Record<string, unknown>): number {
  return Object.values(given).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
}
