import { z } from 'zod';
import { credentialKinds } from '../authentication/credential.js';
import { status as agentStatus, trustLevel } from '../schemas/agent.js';
import { patternFields } from '../schemas/fraud-pattern.js';
import { answeredId } from '../schemas/id.js';
import { pageOf } from '../schemas/list.js';
import {
  principal as publicPrincipal,
  stepUpMethod,
  verificationStatus,
} from '../schemas/principal.js';
import { environment } from '../schemas/public.js';
import { answeredTime } from '../schemas/time.js';
import { viChain } from '../schemas/vi-chain.js';
import { webhook } from '../schemas/webhook.js';
import { access, clientStatus } from './schemas.js';

function textOrNull(example: string | null) {
  return z
    .string()
    .nullable()
    .meta({ examples: [example] });
}

export const client = z
  .object({
    id: answeredId('client'),
    name: z.string().meta({ examples: ['Example Bank'] }),
    status: clientStatus,
    created_at: answeredTime(),
  })
  .meta({ id: 'Client' });
export const clientPage = pageOf(client, 'ClientPage');

const credentialFields = {
  id: answeredId('credential'),
  kind: z.enum(credentialKinds).meta({ id: 'CredentialKind' }),
  client_id: answeredId('client'),
  environment,
  principal_id: answeredId('principal')
    .nullable()
    .meta({ description: 'Of the key of a Principal.', examples: [null] }),
  oauth_client_id: textOrNull(null).meta({ description: 'Of an `oauth_client`.' }),
  scopes: z
    .string()
    .meta({ description: 'Comma-separated; empty is all.', examples: ['authorize,agents'] }),
  access,
  ip_allowlist: z.array(z.string()).meta({ examples: [[]] }),
  label: textOrNull('backend'),
  hint: z.string().meta({ description: 'To tell keys apart.', examples: ['svc_test_…abcd'] }),
  expires_at: answeredTime()
    .nullable()
    .meta({ examples: [null] }),
  previous_expires_at: answeredTime()
    .nullable()
    .meta({ description: 'Until when the former secret is good.', examples: [null] }),
  revoked_at: answeredTime()
    .nullable()
    .meta({ examples: [null] }),
  created_at: answeredTime(),
};
export const credential = z.object(credentialFields).meta({ id: 'Credential' });
export const credentialPage = pageOf(credential, 'CredentialPage');
export const issuedCredential = z
  .object({
    ...credentialFields,
    api_key: z
      .string()
      .optional()
      .meta({ description: 'Shown once; of a key.', examples: ['svc_test_…'] }),
    client_secret: z
      .string()
      .optional()
      .meta({ description: `Shown once; of an \`oauth_client\`.`, examples: ['svcos_…'] }),
  })
  .meta({ id: 'IssuedCredential' });
export const revocation = z
  .object({ id: answeredId('credential'), revoked_at: answeredTime() })
  .meta({ id: 'Revocation' });

/** The public view says an empty list of agents; here it would be a statement about them. */
export const principal = publicPrincipal
  .omit({ agents: true })
  .meta({ id: 'PrincipalWithoutAgents' });

export const verification = z
  .object({ principal_id: answeredId('principal'), verification_status: verificationStatus })
  .meta({ id: 'Verification' });

const heldProfile = z
  .object({
    display_name: z.string().meta({ examples: ['Ada Lovelace'] }),
    email: z.string().meta({ examples: ['ada@example.com'] }),
    phone: textOrNull('+14155550123'),
    country: textOrNull('GBR'),
  })
  .meta({ id: 'HeldProfile' });
const heldStepUp = z
  .object({ method: stepUpMethod, phone: textOrNull(null) })
  .meta({ id: 'HeldStepUp' });
const heldAttestation = z
  .object({
    attested_by: z.string().meta({ examples: ['Example Bank compliance'] }),
    scope: z.string().meta({ examples: ['KYC'] }),
    statement: z.string().meta({ examples: ['Identity verified against a document.'] }),
    evidence_ref: textOrNull('case-4711'),
  })
  .meta({ id: 'HeldAttestation' });
export const personalData = z
  .object({
    profile: heldProfile.nullable(),
    step_up: heldStepUp.nullable(),
    client_customer_ref: textOrNull('customer-42'),
    attestation: heldAttestation.nullable(),
    metadata: z.record(z.string(), z.unknown()).meta({ examples: [{}] }),
  })
  .meta({ id: 'PersonalData' });

export const agentOwner = z
  .object({
    id: answeredId('agent'),
    client_id: answeredId('client'),
    principal_id: answeredId('principal'),
    program_id: answeredId('program').nullable(),
    status: agentStatus,
    trust_level: trustLevel,
    created_at: answeredTime(),
  })
  .meta({ id: 'AgentOwner' });

export const authorizationOwner = z
  .object({
    id: answeredId('authorization'),
    client_id: answeredId('client'),
    principal_id: answeredId('principal'),
    agent_id: answeredId('agent').nullable().meta({ description: 'As the request named it.' }),
    created_at: answeredTime(),
  })
  .meta({ id: 'AuthorizationOwner' });

export const intentEvidence = z
  .object({
    authorization_id: answeredId('authorization'),
    // As it was sent; an answer leaves room for what a later release accepts.
    vi_chain: z.object(viChain.shape).meta({ id: 'RecordedViChain' }),
    received_at: answeredTime(),
  })
  .meta({ id: 'IntentEvidence' });

export const intentSubject = z
  .object({
    issuer: z.string().meta({ examples: ['https://test-issuer.countersign.example'] }),
    subject: z.string().meta({ examples: ['user-1'] }),
    how: z.enum(['explicit', 'first_use']),
    bound_at: answeredTime(),
    user_key_thumbprint: textOrNull(null),
    authorization_id: answeredId('authorization')
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'IntentSubject' });
export const intentSubjectList = z
  .object({ data: z.array(intentSubject) })
  .meta({ id: 'IntentSubjectList' });

export const signingKeys = z
  .object({
    active_kid: z.string().meta({ examples: ['u7vrjwUEqr4_WVk1nfCx7nhirx2CrSvP9yUbAN4FNiQ'] }),
    next_kid: z.string().meta({ examples: ['3vYpVtqUjvgq0lQd2wW1Ze0uY9jOBUm8D2lYw1zP0aE'] }),
  })
  .meta({ id: 'SigningKeys' });

const auditEvent = z
  .object({
    id: answeredId('auditEvent'),
    action: z.string().meta({ description: 'An operationId.', examples: ['client.create'] }),
    method: z.string().meta({ examples: ['POST'] }),
    path: z.string().meta({ examples: ['/internal/v1/clients'] }),
    target: textOrNull('cli_01k5a3v7q8e9f0g1h2j3k4m5n6'),
    environment: environment.nullable().meta({ examples: [null] }),
    request_id: z.string().meta({ examples: ['req_6f1c2a54-8a4e-4c39-9a58-0c3f5d1f8b11'] }),
    ip: z.string().meta({ examples: ['10.0.0.7'] }),
    body: z.unknown().meta({
      description: 'As it was sent, without secrets; of a long or a personal one, its size.',
      examples: [{ name: 'Example Bank' }],
    }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'Null where the result is not known.', examples: [201] }),
    error_code: textOrNull(null),
    created_at: answeredTime(),
  })
  .meta({ id: 'AuditEvent' });
export const auditPage = pageOf(auditEvent, 'AuditPage');

export const failingWebhookPage = pageOf(
  webhook
    .extend({ client_id: answeredId('client'), principal_id: answeredId('principal') })
    .meta({ id: 'WebhookOfPrincipal' }),
  'FailingWebhookPage',
);

export const fraudPatternPage = pageOf(
  z
    .object({ principal_id: answeredId('principal'), ...patternFields })
    .meta({ id: 'FraudPatternOfPrincipal' }),
  'OperatorFraudPatternPage',
);
