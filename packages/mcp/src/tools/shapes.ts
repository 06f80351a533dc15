import { z } from 'zod';

/** Text, because numbers lose precision, and plain decimal, because a model can produce that. */
export const amount = z
  .string()
  .max(64)
  .regex(/^(0|[1-9]\d*)(\.\d+)?$/, 'must be a decimal number as text, such as "19.90"');

/** Some clients make a model send every argument; what it leaves out is null then. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

export const authorizationId = z
  .string()
  .regex(/^auth_[0-9a-z]{1,64}$/i, 'must be an authorization_id: auth_…')
  .describe('The authorization_id returned by request_payment.');

/** The state of a payment as reported to a model, as data. */
export const told = z.object({
  may_pay: z
    .boolean()
    .describe('The agent may pay only if this is true, and only this amount, once.'),
  decision: z.enum(['APPROVE', 'DECLINE', 'STEP_UP']),
  authorization_id: z.string(),
  amount: z.string().describe('The approved amount, or the requested one.'),
  currency: z.string(),
  merchant: z.string().nullable().describe('The only merchant that may be paid.'),
  transfer: z
    .object({
      chain: z.string(),
      asset: z.string(),
      counterparty: z.string(),
      value: z.string().describe('In units of the asset.'),
    })
    .nullable()
    .describe('What may be sent on chain: exactly this. Null for any other payment.'),
  given_back: z.string().describe('The part of an approval that was reversed.'),
  reversed: z.boolean().describe('True if all of it was reversed.'),
  repeated: z
    .boolean()
    .describe('True if it was decided by an earlier call and nothing new was requested.'),
  detail: z.string().describe('Why it was decided so, and what would be approved.'),
  reasons: z.array(z.object({ code: z.string(), meaning: z.string(), retry: z.string() })),
  next_step: z.string(),
  confirmation: z.object({ status: z.string(), expires_at: z.string() }).nullable(),
});
export type Told = z.output<typeof told>;
