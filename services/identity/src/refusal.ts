import { Fault, invalidField, notFound } from '@countersign/kernel/fault';
import type { Plane } from './mandate/terms.js';

/**
 * All refusals of this service, by RPC and by the error envelope in which the gateway renders
 * them. Codes in lower case are the flat codes of the onboarding API; codes in upper case are
 * platform codes. The types listed after VALIDATION_ERROR appear in its `errors`.
 *
 * RPC                                   | flat                          | platform
 * --------------------------------------|-------------------------------|-------------------------
 * CreateProgram, UpdateProgram,         |                               | NOT_FOUND, CONFLICT,
 * GetProgram, ListPrograms              |                               | VALIDATION_ERROR
 * RegisterPrincipal                     | program_not_owned,            | VALIDATION_ERROR:
 *                                       | program_closed,               |
 *                                       | duplicate_client_customer_ref | attestation_required,
 *                                       |                               | verification_mode_not_-
 *                                       |                               | allowed, invalid_phone_-
 *                                       |                               | format; CONFLICT
 * Onboard                               | those of RegisterPrincipal, CreateAgent, CreateMandate
 * EnrollPrincipal                       | principal_not_found,          | VALIDATION_ERROR:
 *                                       | program_not_owned,            | verification_mode_not_-
 *                                       | program_closed                | allowed
 * GetPrincipal, FindPrincipal           |                               | PRINCIPAL_NOT_FOUND
 * UpdatePrincipal, no client            |                               | PRINCIPAL_NOT_FOUND,
 *                                       |                               | CONFLICT
 * UpdatePrincipal, a Client's (simulate)| principal_not_found           | CONFLICT
 * GetPersonalData, PutProfile,          |                               | PRINCIPAL_NOT_FOUND,
 * ErasePersonalData                     |                               | VALIDATION_ERROR:
 *                                       |                               | invalid_phone_format
 * ResolveActingPrincipal,               | (no refusals)                 |
 * GetSpendingFacts                      |                               |
 * CreateAgent, onboarding               | principal_not_found,          | CONFLICT (erased),
 *                                       | principal_not_in_program,     | VALIDATION_ERROR
 *                                       | program_closed                |
 * CreateAgent, runtime                  | program_closed (as a type)    | PRINCIPAL_NOT_FOUND,
 * (program_optional)                    |                               | CONFLICT (erased, DID
 *                                       |                               | in use),
 *                                       |                               | VALIDATION_ERROR: those
 *                                       |                               | of did, public_key_jwk,
 *                                       |                               | registration_proof
 * ListPrincipalAgents                   | principal_not_found           |
 * GetAgent, UpdateAgentStatus,          |                               | AGENT_NOT_FOUND,
 * ListAgentMandates                     |                               | TENANT_MISMATCH
 * FindAgent                             |                               | AGENT_NOT_FOUND
 * ListAgents                            |                               |
 * CreateMandate, onboarding             | agent_revoked,                | AGENT_NOT_FOUND,
 *                                       | rail_not_enabled,             | VALIDATION_ERROR
 *                                       | limit_above_program_ceiling   |
 * CreateMandate, runtime (principal_id) |                               | AGENT_NOT_FOUND,
 *                                       |                               | TENANT_MISMATCH,
 *                                       |                               | VALIDATION_ERROR:
 *                                       |                               | agent_revoked,
 *                                       |                               | limit_above_program_-
 *                                       |                               | ceiling,
 *                                       |                               | rail_not_enabled and more
 * GetMandate, RevokeMandate             |                               | MANDATE_NOT_FOUND,
 *                                       |                               | TENANT_MISMATCH
 * every change of authority             |                               | SERVICE_UNAVAILABLE
 */
export const refusal = {
  programNotFound: () => notFound('NOT_FOUND', 'No such program.'),
  programNotOwned: (programId: string) =>
    businessRule('program_not_owned', `The program ${programId} does not belong to this client.`),
  duplicateCustomerRef: () =>
    new Fault('conflict', {
      code: 'duplicate_client_customer_ref',
      message: 'The client_customer_ref is in use for another principal.',
    }),
  programClosed: (programId: string) =>
    businessRule(
      'program_closed',
      `The program ${programId} is closed and accepts no new principals or agents.`,
    ),
  principalNotInProgram: (message: string) => businessRule('principal_not_in_program', message),
  railNotEnabled: (rail: string) =>
    businessRule('rail_not_enabled', `The rail ${rail} is not enabled on the agent's program.`),
  /** The onboarding API names the agent in the path, and has a code for each business rule. */
  agentRevoked: (plane: Plane) => {
    const message = 'The agent has been revoked.';
    return plane === 'onboarding'
      ? businessRule('agent_revoked', message)
      : invalidField('agent_id', 'agent_revoked', message);
  },
  limitAboveCeiling: (message: string) => businessRule('limit_above_program_ceiling', message),

  principalNotFound: () => notFound('PRINCIPAL_NOT_FOUND', 'No such principal.'),
  principalNotFoundWhileOnboarding: () => notFound('principal_not_found', 'No such principal.'),
  agentNotFound: () => notFound('AGENT_NOT_FOUND', 'No such agent.'),
  mandateNotFound: () => notFound('MANDATE_NOT_FOUND', 'No such mandate.'),
  tenantMismatch: (entity: 'agent' | 'mandate') =>
    new Fault('forbidden', {
      code: 'TENANT_MISMATCH',
      message: `The ${entity} belongs to another principal.`,
    }),

  conflict: (message: string) => new Fault('conflict', { code: 'CONFLICT', message }),
  /** The id belongs to an entity of another owner, which must not be disclosed. */
  idInUse: (id: string) => refusal.conflict(`The id ${id} is in use.`),
  personalDataErased: () =>
    refusal.conflict(
      'The personal data of this principal was erased. Register the person again as a new one.',
    ),
  didInUse: () => refusal.conflict('Another agent that is not revoked has this DID.'),
} as const;

function businessRule(code: string, message: string): Fault {
  return new Fault('invalid', { code, message });
}
