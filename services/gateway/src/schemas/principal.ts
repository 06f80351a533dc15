import {
  principalKinds,
  riskTiers,
  stepUpMethods,
  verificationModes,
  verificationStatuses,
  verificationTypes,
} from '@countersign/kernel/vocabulary';
import { z } from 'zod';
import { agentSummary } from './agent.js';
import { email } from './email.js';
import { freeObject } from './free-object.js';
import { answeredId, idOf } from './id.js';
import { setOf } from './list.js';
import { e164, isE164, phone, phoneRule } from './phone.js';
import { country } from './place.js';
import { always, loose, report } from './rule.js';
import { sent } from './sent.js';
import { comparedText, text } from './text.js';
import { answeredTime } from './time.js';

const principalKind = z.enum(principalKinds).meta({ id: 'PrincipalKind' });
const verificationType = z.enum(verificationTypes).meta({ id: 'VerificationType' });
const verificationMode = z.enum(verificationModes).meta({ id: 'VerificationMode' });
export const verificationStatus = z
  .enum(verificationStatuses)
  .meta({ id: 'VerificationStatus', examples: ['VERIFIED'] });
export const riskTier = z.enum(riskTiers).meta({ id: 'RiskTier' });

const profile = z.strictObject({
  display_name: text(200).meta({ examples: ['Ada Lovelace'] }),
  email,
  phone: phone.optional(),
  country: country.optional(),
});

const attestation = z.strictObject({
  attested_by: text(200).meta({ examples: ['Example Bank compliance'] }),
  scope: text(200).meta({ examples: ['KYC'] }),
  statement: text(2000).meta({ examples: ['Identity verified against a government document.'] }),
  evidence_ref: text(500)
    .optional()
    .meta({ examples: ['case-4711'] }),
});

const verification = z
  .strictObject({
    type: verificationType,
    mode: verificationMode,
    attestation: attestation.optional().meta({ description: 'Required for `client_attested`.' }),
  })
  .superRefine((value, context) => {
    const { mode, attestation: given } = loose(value);
    if (mode !== 'client_attested' || (given ?? null) !== null) return;
    report(context, {
      path: ['attestation'],
      type: 'attestation_required',
      message: 'is required when mode is client_attested',
    });
  }, always);

/** How one-time codes are sent. */
export const stepUpMethod = z.enum(stepUpMethods).meta({ id: 'StepUpMethod' });

const stepUp = z.strictObject({
  method: stepUpMethod,
  phone: z
    .string()
    .optional()
    .meta({
      pattern: e164.source,
      description: 'E.164; default: the phone of the profile.',
      examples: ['+14155550123'],
    }),
});

export const registerPrincipal = z
  .strictObject({
    principal_kind: principalKind,
    program_ids: setOf(idOf('program'), 50, 1),
    profile,
    verification,
    client_customer_ref: comparedText(128)
      .optional()
      .meta({ description: 'Your own reference, unique per Client.', ...sent('customer-42') }),
    step_up: stepUp.optional().meta({ description: 'How one-time codes are sent.' }),
    metadata: freeObject('Stored with the Principal.').optional(),
  })
  .superRefine(checkStepUpPhone, always)
  .meta({
    id: 'RegisterPrincipal',
    ...sent({
      principal_kind: 'personal',
      program_ids: ['prg_01k5a3v7q8e9f0g1h2j3k4m5n6'],
      profile: { display_name: 'Ada Lovelace', email: 'ada@example.com', country: 'GBR' },
      verification: {
        type: 'KYC',
        mode: 'client_attested',
        attestation: {
          attested_by: 'Example Bank compliance',
          scope: 'KYC',
          statement: 'Identity verified against a government document.',
          evidence_ref: 'case-4711',
        },
      },
      client_customer_ref: 'customer-42',
    }),
  });
export type RegisterPrincipalBody = z.output<typeof registerPrincipal>;

/** How a Principal is reached, as one thing: replaced as a whole. */
export const contact = z
  .strictObject({ profile, step_up: stepUp.optional() })
  .superRefine(checkStepUpPhone, always)
  .meta({
    id: 'Contact',
    ...sent({
      profile: { display_name: 'Ada Lovelace', email: 'ada@example.com', phone: '+14155550123' },
      step_up: { method: 'sms' },
    }),
  });
export type Contact = z.output<typeof contact>;

/** A code by SMS needs somewhere to go: a number of its own, or the one of the profile. */
function checkStepUpPhone(value: unknown, context: z.RefinementCtx): void {
  const { step_up: given, profile: profileGiven } = loose(value);
  const { method, phone: own } = loose(given);
  if (typeof own === 'string' ? isE164(own) : method !== 'sms') return;
  const fallback = loose(profileGiven).phone;
  if (own === undefined && typeof fallback === 'string' && isE164(fallback)) return;
  report(context, {
    path: ['step_up', 'phone'],
    type: phoneRule.params.type,
    message: phoneRule.error,
  });
}

export const enrollPrincipal = z
  .strictObject({ program_id: idOf('program') })
  .meta({ id: 'EnrollPrincipal' });

export const simulateVerification = z
  .strictObject({ result: z.enum(['VERIFIED', 'FAILED']) })
  .meta({ id: 'SimulateVerification' });

const verificationSession = z
  .object({
    id: answeredId('verificationSession'),
    type: verificationType,
    provider: z.string().meta({ examples: ['manual'] }),
    status: z.enum(['REQUIRES_INPUT', 'PROCESSING', 'VERIFIED', 'FAILED', 'CANCELED', 'EXPIRED']),
    url: z
      .string()
      .meta({ examples: ['https://example.com/verify/vs_01k5a3v7q8e9f0g1h2j3k4m5n6'] }),
    expires_at: answeredTime(),
    created_at: answeredTime(),
  })
  .meta({ id: 'VerificationSession' });

const answeredFields = {
  id: answeredId('principal'),
  principal_kind: principalKind,
  client_customer_ref: z
    .string()
    .nullable()
    .meta({ examples: ['customer-42'] }),
  verification_status: verificationStatus,
  risk_tier: riskTier,
};

export const principal = z
  .object({
    ...answeredFields,
    client_id: answeredId('client'),
    verification_mode: verificationMode,
    programs: z.array(answeredId('program')),
    agents: z.array(agentSummary).meta({ description: 'Empty on creation.', examples: [[]] }),
    verification_session: verificationSession.nullable().meta({ examples: [null] }),
    created_at: answeredTime(),
  })
  .meta({ id: 'Principal' });

export const actingPrincipal = z.object(answeredFields).meta({ id: 'ActingPrincipal' });

export const enrolment = z
  .object({ principal_id: answeredId('principal'), programs: z.array(answeredId('program')) })
  .meta({ id: 'Enrolment' });

export const sandboxKey = z
  .object({
    principal_id: answeredId('principal'),
    api_key: z.string().meta({ description: 'Shown once.', examples: ['svc_test_…'] }),
    env: z.literal('sandbox'),
    message: z.string(),
  })
  .meta({ id: 'SandboxKey' });
