import { z } from 'zod';
import { accesses } from '../authentication/credential.js';
import { isScope, scopeNames } from '../authentication/scopes.js';
import { parseCidr } from '../http/client-ip.js';
import { amount, checkExponent } from '../schemas/amount.js';
import { freeObject } from '../schemas/free-object.js';
import { idOf } from '../schemas/id.js';
import { pageQuery, setOf } from '../schemas/list.js';
import { rail } from '../schemas/mandate.js';
import { currency } from '../schemas/place.js';
import { riskTier, verificationStatus } from '../schemas/principal.js';
import { programStatus, programVerificationMode } from '../schemas/program.js';
import { environment } from '../schemas/public.js';
import { always, loose, rule } from '../schemas/rule.js';
import { sent } from '../schemas/sent.js';
import { text } from '../schemas/text.js';
import { datetime } from '../schemas/time.js';

export const ofClient = z.object({ id: idOf('client') });
export const ofCredential = z.object({ id: idOf('credential') });
export const inEnvironment = z.object({ environment });
export const ofProgram = inEnvironment.extend({ id: idOf('program') });
export const ofPrincipal = inEnvironment.extend({ id: idOf('principal') });
export const ofAgent = inEnvironment.extend({ id: idOf('agent') });
export const ofAuthorization = inEnvironment.extend({ id: idOf('authorization') });
export const page = z.object(pageQuery);

export const signingKeyRotation = z
  .strictObject({ environment })
  .meta({ id: 'SigningKeyRotation', ...sent({ environment: 'sandbox' }) });

export const clientStatus = z.enum(['ACTIVE', 'SUSPENDED']).meta({ id: 'ClientStatus' });
export const newClient = z
  .strictObject({ name: text(200).meta({ examples: ['Example Bank'] }) })
  .meta({ id: 'NewClient' });
export const clientChange = z.strictObject({ status: clientStatus }).meta({ id: 'ClientChange' });

/** The example of a change, which names at least one field: see somethingToUpdate. */
function change(example: object) {
  return { override: { minProperties: 1, ...sent(example).override } };
}

const ceiling = amount().nullable().optional();
const limitCeilings = z
  .strictObject({
    max_amount_per_transaction: ceiling,
    max_daily_amount: ceiling,
    max_monthly_amount: ceiling,
  })
  .meta({
    id: 'LimitCeilings',
    description:
      'The most that a Mandate may allow, whatever its currency. A PATCH replaces all three.',
  });
const programFields = {
  name: text(200).meta({ examples: ['Shopping'] }),
  rails: setOf(rail, 2, 1),
  verification_mode: programVerificationMode,
  default_currency: currency,
  limit_ceilings: limitCeilings,
  fraud_triage_enabled: z.boolean().meta({
    description:
      'Suspected fraud opens cases, agents are watched, and webhooks may have these events.',
  }),
  metadata: freeObject('Stored with the Program.'),
  status: programStatus,
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
  .superRefine(checkCeilings, always)
  .meta({
    id: 'NewProgram',
    ...sent({
      environment: 'sandbox',
      name: 'Shopping',
      rails: ['card'],
      limit_ceilings: { max_daily_amount: '5000.00' },
    }),
  });
export const programChange = z
  .strictObject(programFields)
  .partial()
  .superRefine(checkCeilings, always)
  .meta({ id: 'ProgramChange', ...change({ rails: ['card', 'crypto'] }) });

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
    rule(
      'invalid_scope',
      `must be empty, *, or a comma-separated list of ${scopeNames.join(', ')}`,
    ),
  )
  .meta({
    description: `Comma-separated; empty or \`*\` is all of ${scopeNames.join(', ')}.`,
    ...sent('authorize,agents'),
  });

const cidr = z
  .string()
  .max(64)
  .refine(
    (value) => parseCidr(value) !== null,
    rule('invalid_cidr', 'must be an address or a CIDR'),
  )
  .meta({ examples: ['10.0.0.0/8'] });

export const access = z.enum(accesses).meta({
  id: 'Access',
  description:
    'Within its scopes, `read` changes nothing, and `spend` only requests payments and reports ' +
    'transfers: for the key that an agent itself holds.',
});

const terms = {
  scopes,
  access,
  ip_allowlist: setOf(cidr, 50).meta({ description: 'Empty allows every address.' }),
  expires_at: datetime()
    .refine((value) => Date.parse(value) > Date.now(), rule('in_the_past', 'must be in the future'))
    .nullable(),
  label: text(200)
    .nullable()
    .meta({ examples: ['backend'] }),
};

export const newCredential = z
  .strictObject({ ...terms, environment, kind: z.enum(['api_key', 'oauth_client']) })
  .partial({ scopes: true, access: true, ip_allowlist: true, expires_at: true, label: true })
  .meta({
    id: 'NewCredential',
    ...sent({
      environment: 'sandbox',
      kind: 'api_key',
      scopes: 'authorize,agents',
      label: 'backend',
    }),
  });
export const credentialChange = z
  .strictObject(terms)
  .partial()
  .meta({ id: 'CredentialChange', ...change({ scopes: 'principals,authorize' }) });
export const rotation = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .meta({ description: 'How long the former secret stays good.' }),
  })
  .meta({ id: 'CredentialRotation', ...sent({ grace_seconds: 3600 }) });

export const principalChange = z
  .strictObject({ verification_status: verificationStatus, risk_tier: riskTier })
  .partial()
  .meta({ id: 'PrincipalChange', ...change({ risk_tier: 'MEDIUM' }) });

/** A user of an issuer of verifiable intent, byte for byte; a chain has no longer names. */
export const intentSubject = z
  .strictObject({
    issuer: text(255).meta({ examples: ['https://test-issuer.countersign.example'] }),
    subject: text(255).meta({ examples: ['user-1'] }),
  })
  .meta({ id: 'IntentSubjectName' });

/** What a provider sends; signed as a whole, and good for five minutes around its timestamp. */
export const verificationResult = z
  .strictObject({
    verification_session_id: idOf('verificationSession'),
    status: z.enum(['VERIFIED', 'FAILED', 'EXPIRED']),
    timestamp: datetime().meta({ description: 'At most five minutes from now.' }),
  })
  .meta({ id: 'VerificationResult' });
