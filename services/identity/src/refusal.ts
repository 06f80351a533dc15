import { Fault, type FieldError, invalidField, notFound } from '@countersign/kernel/fault';

/**
 * Every refusal of this service, and the envelope that the gateway renders it in. A code in lower
 * case is one of the onboarding plane's flat codes; one in upper case is a platform code;
 * VALIDATION_ERROR carries the types named here in its `errors`.
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
 * GetPrincipal                          |                               | PRINCIPAL_NOT_FOUND
 * UpdatePrincipal, no client            |                               | PRINCIPAL_NOT_FOUND,
 *                                       |                               | CONFLICT
 * UpdatePrincipal, a Client's (simulate)| principal_not_found           | CONFLICT
 * ResolveActingPrincipal,               | (answers, never refusals)     |
 * GetSpendingFacts                      |                               |
 * CreateAgent, onboarding               | principal_not_found,          | VALIDATION_ERROR
 *                                       | principal_not_in_program,     |
 *                                       | program_closed                |
 * CreateAgent, runtime                  | program_closed (there a type) | PRINCIPAL_NOT_FOUND,
 * (program_optional)                    |                               | CONFLICT (DID in use),
 *                                       |                               | VALIDATION_ERROR: those
 *                                       |                               | of did, public_key_jwk,
 *                                       |                               | registration_proof
 * ListPrincipalAgents                   | principal_not_found           |
 * GetAgent, UpdateAgentStatus,          |                               | AGENT_NOT_FOUND,
 * ListAgentMandates                     |                               | TENANT_MISMATCH
 * ListAgents                            |                               |
 * CreateMandate, onboarding             | rail_not_enabled,             | AGENT_NOT_FOUND,
 *                                       | limit_above_program_ceiling   | VALIDATION_ERROR
 * CreateMandate, runtime (principal_id) |                               | AGENT_NOT_FOUND,
 *                                       |                               | TENANT_MISMATCH,
 *                                       |                               | VALIDATION_ERROR:
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
    businessRule('program_closed', `The program ${programId} is closed and takes nobody new.`),
  principalNotInProgram: (message: string) => businessRule('principal_not_in_program', message),
  railNotEnabled: (rail: string) =>
    businessRule('rail_not_enabled', `The rail ${rail} is not enabled on the agent's program.`),
  limitAboveCeiling: (message: string) => businessRule('limit_above_program_ceiling', message),

  principalNotFound: () => notFound('PRINCIPAL_NOT_FOUND', 'No such principal.'),
  principalNotFoundWhileOnboarding: () => notFound('principal_not_found', 'No such principal.'),
  agentNotFound: () => notFound('AGENT_NOT_FOUND', 'No such agent.'),
  mandateNotFound: () => notFound('MANDATE_NOT_FOUND', 'No such mandate.'),
  tenantMismatch: (thing: string) =>
    new Fault('forbidden', {
      code: 'TENANT_MISMATCH',
      message: `The ${thing} belongs to another principal.`,
    }),

  conflict: (message: string) => new Fault('conflict', { code: 'CONFLICT', message }),
  /** An id that the edge minted for something else: never to be answered with that something. */
  idInUse: (id: string) => refusal.conflict(`The id ${id} is in use.`),
  didInUse: () => refusal.conflict('Another agent that is not revoked has this DID.'),
} as const;

function businessRule(code: string, message: string): Fault {
  return new Fault('invalid', { code, message });
}

/** One of the words that the contract knows for this field; anything else is a 422. */
export function oneOf<T extends string>(field: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === value);
  if (found === undefined) {
    throw invalidField(field, 'invalid_value', `${field} must be one of ${allowed.join(', ')}.`);
  }
  return found;
}

/** Says what is wrong with a field: its wire name, a type for programs, a sentence for people. */
export type Report = (field: string, type: string, message: string) => void;

/** Collects every field at fault, so that a caller is told all of it at once. */
export class FieldErrors {
  readonly #errors: FieldError[] = [];
  readonly #prefix: string;

  /** The prefix is the path of the object within the body: `mandate.`, or nothing. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  readonly report: Report = (field, type, message) => {
    this.#errors.push({ field: this.#prefix + field, type, message });
  };

  throwIfAny(): void {
    const [first] = this.#errors;
    if (!first) return;
    const { message } = first;
    throw new Fault('invalid', { code: 'VALIDATION_ERROR', message, errors: this.#errors });
  }
}
