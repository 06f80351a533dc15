import { z } from 'zod';
import { accesses } from '../authentication/credential.js';
import { isScope, scopeNames } from '../authentication/scopes.js';
import { parseCidr } from '../http/client-ip.js';
import { amount, checkExponent } from '../schemas/amount.js';
import { freeObject } from '../schemas/free-object.js';
import { idOf } from '../schemas/id.js';
import { pageQuery, setOf } from '../schemas/list.js';
import { currency } from '../schemas/place.js';
import { always, loose, rule } from '../schemas/rule.js';
import { text } from '../schemas/text.js';
import { datetime } from '../schemas/time.js';

export const environment = z.enum(['live', 'sandbox']);
export const ofClient = z.object({ id: idOf('client') });
export const ofCredential = z.object({ id: idOf('credential') });
export const inEnvironment = z.object({ environment });
export const ofProgram = inEnvironment.extend({ id: idOf('program') });
export const ofPrincipal = inEnvironment.extend({ id: idOf('principal') });
export const ofAuthorization = inEnvironment.extend({ id: idOf('authorization') });
export const page = z.object(pageQuery);

export const newClient = z.strictObject({ name: text(200) });
export const clientChange = z.strictObject({ status: z.enum(['ACTIVE', 'SUSPENDED']) });

const ceiling = amount().nullable().optional();
const programFields = {
  name: text(200),
  rails: setOf(z.enum(['card', 'crypto']), 2, 1),
  verification_mode: z.enum(['client_attested', 'platform_provider', 'any']),
  default_currency: currency,
  limit_ceilings: z.strictObject({
    max_amount_per_transaction: ceiling,
    max_daily_amount: ceiling,
    max_monthly_amount: ceiling,
  }),
  fraud_triage_enabled: z.boolean(),
  metadata: freeObject('Stored with the Program.'),
  status: z.enum(['ACTIVE', 'PAUSED', 'CLOSED']),
};

export const newProgram = z
  .strictObject({ ...programFields, environment })
  .partial({
    verification_mode: true,
    default_currency: true,
    limit_ceilings: true,
    fraud_triage_enabled: true,
    metadata: true,
    status: true,
  })
  .superRefine(checkCeilings, always);
export const programChange = z
  .strictObject(programFields)
  .partial()
  .superRefine(checkCeilings, always);

/** Where the request itself names the currency; the owner of the program checks the rest. */
function checkCeilings(input: unknown, context: z.RefinementCtx): void {
  const { limit_ceilings: ceilings, default_currency: code } = loose(input);
  for (const [name, value] of Object.entries(loose(ceilings))) {
    checkExponent(context, { path: ['limit_ceilings', name], value }, code);
  }
}

/**
 * Comma-separated; empty or `*` is full access, and comes out as an empty list. Nothing else is: a
 * list that lost its names, or has `*` among them, must not open everything.
 */
const scopes = z
  .string()
  .max(500)
  .transform((value) => value.split(',').map((item) => item.trim()))
  .transform((items) => (['', '*'].includes(items.join()) ? [] : [...new Set(items)]))
  .refine(
    (items) => items.every(isScope),
    rule('invalid_scope', `must be a comma-separated list of ${scopeNames.join(', ')}`),
  );

const cidr = z
  .string()
  .max(64)
  .refine(
    (value) => parseCidr(value) !== null,
    rule('invalid_cidr', 'must be an address or a CIDR'),
  );

const terms = {
  scopes,
  access: z.enum(accesses),
  ip_allowlist: setOf(cidr, 50),
  expires_at: datetime()
    .refine((value) => Date.parse(value) > Date.now(), rule('in_the_past', 'must be in the future'))
    .nullable(),
  label: text(200).nullable(),
};

export const newCredential = z
  .strictObject({ ...terms, environment, kind: z.enum(['api_key', 'oauth_client']) })
  .partial({ scopes: true, access: true, ip_allowlist: true, expires_at: true, label: true });
export const credentialChange = z.strictObject(terms).partial();
export const rotation = z.strictObject({
  grace_seconds: z.int().min(0).max(604_800).default(86_400),
});

export const principalChange = z
  .strictObject({
    verification_status: z.enum(['PENDING', 'VERIFIED', 'FAILED', 'EXPIRED']),
    risk_tier: z.enum(['LOW', 'MEDIUM', 'HIGH', 'PROHIBITED']),
  })
  .partial();

/** A user of an issuer of verifiable intent, byte for byte; a chain has no longer names. */
export const intentSubject = z.strictObject({ issuer: text(255), subject: text(255) });

/** What a provider sends; signed as a whole, and good for five minutes around its timestamp. */
export const verificationResult = z.strictObject({
  verification_session_id: idOf('verificationSession'),
  status: z.enum(['VERIFIED', 'FAILED', 'EXPIRED']),
  timestamp: datetime(),
});
