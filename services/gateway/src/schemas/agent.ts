import { didPattern } from '@countersign/kernel/did';
import { trustLevels } from '@countersign/kernel/trust';
import { agentStatuses, capabilities } from '@countersign/kernel/vocabulary';
import { z } from 'zod';
import { freeObject } from './free-object.js';
import { answeredId, idOf } from './id.js';
import { setOf, wholeNumber } from './list.js';
import { always, loose, report } from './rule.js';
import { sent } from './sent.js';
import { form, text } from './text.js';
import { answeredTime } from './time.js';

export const capability = z.enum(capabilities).meta({ id: 'Capability' });
// The answer that has a status and little else is called AgentStatus.
export const status = z.enum(agentStatuses).meta({ id: 'AgentState' });
export const trustLevel = z.enum(trustLevels).meta({ id: 'TrustLevel' });
/** What an agent can be promoted to. */
export const earnedLevel = z.enum(['VERIFIED', 'TRUSTED']).meta({ id: 'EarnedTrustLevel' });
const capabilityList = setOf(capability, capabilities.length, 1);

/** The agent of an onboarding call; `program_id` is inherited where the Principal has just one. */
export const addAgent = z
  .strictObject({
    name: text(200).meta({ examples: ['Shopping agent'] }),
    program_id: idOf('program').optional(),
    capabilities: capabilityList.default(['PURCHASE']),
    external_agent_ref: text(128)
      .optional()
      .meta({ examples: ['agent-7'] }),
    metadata: freeObject('Stored with the agent.').optional(),
  })
  .meta({
    id: 'AddAgent',
    ...sent({ name: 'Shopping agent', capabilities: ['PURCHASE'] }),
  });
export type AddAgentBody = z.output<typeof addAgent>;

const did = form(didPattern, 'must be a W3C DID, such as did:key:z6Mk…').max(2048);

export const agentDid = did.meta({
  examples: ['did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
});

export const createAgent = z
  .strictObject({
    display_name: text(200).meta({ examples: ['Shopping agent'] }),
    capabilities: capabilityList,
    did: agentDid.optional().meta({ description: 'A `did:key` is made where none is given.' }),
    public_key_jwk: freeObject('P-256 or Ed25519 public key.').optional(),
    registration_proof: text(4096)
      .optional()
      .meta({ description: 'Compact JWS that proves possession of the key; required with it.' }),
    principal_id: idOf('principal')
      .optional()
      .meta({ description: 'Must be the acting Principal.' }),
  })
  .superRefine((value, context) => {
    const given = loose(value);
    const pair = ['public_key_jwk', 'registration_proof'] as const;
    const [missing] = pair.filter((name) => given[name] === undefined);
    if (!missing || pair.every((name) => given[name] === undefined)) return;
    report(context, {
      path: [missing],
      type: 'missing',
      message: 'is required: public_key_jwk and registration_proof come together',
    });
  }, always)
  .meta({
    id: 'CreateAgent',
    ...sent({ display_name: 'Shopping agent', capabilities: ['PURCHASE'] }),
  });
export type CreateAgentBody = z.output<typeof createAgent>;

export const updateAgentStatus = z
  .strictObject({
    status,
    reason: text(500).meta({ examples: ['Unusual spending'] }),
  })
  .meta({ id: 'UpdateAgentStatus', ...sent({ status: 'SUSPENDED', reason: 'Unusual spending' }) });

export const listAgentsQuery = z.object({
  status: status.optional(),
  trust_level: trustLevel.optional(),
  page: wholeNumber({ min: 1, max: 1_000_000, fallback: 1 }),
  page_size: wholeNumber({ min: 1, max: 100, fallback: 25 }),
});

const kyaScore = z
  .number()
  .nullable()
  .meta({ description: '0 to 1; null until the first decision.', examples: [0.65] });

export const onboardingAgent = z
  .object({
    id: answeredId('agent'),
    principal_id: answeredId('principal'),
    client_id: answeredId('client'),
    program_id: answeredId('program').nullable(),
    did: z
      .string()
      .meta({ examples: ['did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'] }),
    name: z.string().meta({ examples: ['Shopping agent'] }),
    status,
    trust_level: trustLevel,
    kya_score: kyaScore,
    created_at: answeredTime(),
  })
  .meta({ id: 'OnboardingAgent' });

export const agentSummary = z
  .object({
    id: answeredId('agent'),
    name: z.string().meta({ examples: ['Shopping agent'] }),
    status,
    trust_level: trustLevel,
    kya_score: kyaScore,
  })
  .meta({ id: 'AgentSummary' });

export const principalAgents = z
  .object({
    principal_id: answeredId('principal'),
    agents: z.array(agentSummary),
    count: z.int().meta({ examples: [1] }),
  })
  .meta({ id: 'PrincipalAgents' });

export const agent = z
  .object({
    id: answeredId('agent'),
    did: z
      .string()
      .meta({ examples: ['did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'] }),
    did_method: z.string().meta({ examples: ['key'] }),
    display_name: z.string().meta({ examples: ['Shopping agent'] }),
    principal_id: answeredId('principal'),
    status,
    trust_level: trustLevel,
    capabilities: z.array(capability),
    total_transactions: z.int().meta({ examples: [12] }),
    decline_rate: z.number().meta({ examples: [0.0833] }),
    created_at: answeredTime(),
  })
  .meta({ id: 'Agent' });

export const agentPage = z
  .object({
    agents: z.array(agent),
    total: z.int().meta({ examples: [1] }),
    page: z.int().meta({ examples: [1] }),
    page_size: z.int().meta({ examples: [25] }),
  })
  .meta({ id: 'AgentPage' });

export const agentStatus = z
  .object({
    id: answeredId('agent'),
    status,
    trust_level: trustLevel,
    display_name: z.string().meta({ examples: ['Shopping agent'] }),
  })
  .meta({ id: 'AgentStatus' });

const criterion = z
  .object({
    required: z.number().meta({ examples: [50] }),
    actual: z.number().meta({ examples: [12] }),
    met: z.boolean().meta({ examples: [false] }),
  })
  .meta({ id: 'PromotionCriterion' });

export const agentMetrics = z
  .object({
    agent_id: answeredId('agent'),
    trust_level: trustLevel,
    total_transactions: z.int().meta({ examples: [12] }),
    successful_transactions: z.int().meta({ examples: [11] }),
    declined_transactions: z.int().meta({ examples: [1] }),
    decline_rate: z.number().meta({ examples: [0.0833] }),
    dispute_deflection_rate: z.number().meta({ examples: [1] }),
    trust_promotion_eligible: z.boolean().meta({ examples: [false] }),
    next_trust_level: earnedLevel.nullable(),
    promotion_criteria: z.object({
      successful_transactions: criterion,
      account_age_hours: criterion,
      decline_rate: criterion,
      dispute_deflection_rate: criterion,
    }),
  })
  .meta({ id: 'AgentMetrics' });
