import { z } from 'zod';

/** Text, because a number loses what was meant; a plain one, because a model can write that. */
export const amount = z
  .string()
  .max(64)
  .regex(/^(0|[1-9]\d*)(\.\d+)?$/, 'must be a decimal number as text, such as "19.90"');

export const authorizationId = z
  .string()
  .regex(/^auth_[0-9a-z]{1,64}$/i, 'must be an authorization_id: auth_…')
  .describe('The authorization_id that request_payment gave.');

/** `Told` of words.ts, as a client can validate it. */
export const told = {
  may_pay: z.boolean().describe('Only when true may the agent pay, and only this amount, once.'),
  decision: z.enum(['APPROVE', 'DECLINE', 'STEP_UP']),
  authorization_id: z.string(),
  amount: z.string().describe('What may be paid on it, or what was asked for.'),
  currency: z.string(),
  merchant: z.string().nullable().describe('Who may be paid on it, and nobody else.'),
  given_back: z.string().describe('So much of an approval no longer stands.'),
  reversed: z.boolean().describe('All of it was given back.'),
  repeated: z.boolean().describe('It was decided before: this call has asked for nothing new.'),
  detail: z.string().describe('What was found, and what would pass.'),
  reasons: z.array(z.object({ code: z.string(), meaning: z.string(), retry: z.string() })),
  next_step: z.string(),
  confirmation: z.object({ status: z.string(), expires_at: z.string() }).nullable(),
};
