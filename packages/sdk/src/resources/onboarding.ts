import { type InText, inText } from '../amount.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import { newKey, type Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { type ListOptions, pageOf } from './list.js';

type Schemas = components['schemas'];
type LimitFields = 'max_amount_per_transaction' | 'max_daily_amount' | 'max_monthly_amount';
type WireMandate = Schemas['OnboardingMandate'];
export type OnboardingMandate = Omit<WireMandate, 'limits'> & {
  limits: InText<WireMandate['limits'], LimitFields>;
};
export type Onboarding = Schemas['Onboard'];
export type Onboarded = Omit<Schemas['Onboarded'], 'mandate'> & { mandate: OnboardingMandate };
export type Program = Schemas['Program'];
export type Principal = Schemas['Principal'];

export interface CreationOptions extends CallOptions {
  /** Generated if absent. Keep it to retry after an error: nothing is created twice. */
  idempotencyKey?: string | undefined;
}

/** Setup of Principals by a Client. Requires the API key of the Client; tokens are not accepted. */
export class OnboardingPlane {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Creates a Principal, its first agent and its mandate: all of them or none. */
  async onboard(body: Onboarding, options?: CreationOptions): Promise<Onboarded> {
    const created = await this.#wire.call('post', '/api/v1/onboard', creation(body, options));
    return { ...created, mandate: mandateInText(created.mandate) };
  }

  registerPrincipal(
    body: Schemas['RegisterPrincipal'],
    options?: CreationOptions,
  ): Promise<Principal> {
    return this.#wire.call('post', '/api/v1/principals', creation(body, options));
  }

  /** The Principal that the call acts for. */
  getPrincipal(principalId: string, options?: CallOptions): Promise<Schemas['ActingPrincipal']> {
    const asked = { params: { principal_id: principalId }, options: { principalId, ...options } };
    return this.#wire.call('get', '/api/v1/principals/{principal_id}', asked);
  }

  /** Enrolling an agent again changes nothing. */
  enroll(
    principalId: string,
    programId: string,
    options?: CallOptions,
  ): Promise<Schemas['Enrolment']> {
    const params = { principal_id: principalId };
    const asked = { params, body: { program_id: programId }, options, repeatable: true };
    return this.#wire.call('post', '/api/v1/principals/{principal_id}/programs', asked);
  }

  addAgent(
    principalId: string,
    body: Schemas['AddAgent'],
    options?: CreationOptions,
  ): Promise<Schemas['OnboardingAgent']> {
    const asked = { ...creation(body, options), params: { principal_id: principalId } };
    return this.#wire.call('post', '/api/v1/principals/{principal_id}/agents', asked);
  }

  listAgents(principalId: string, options?: CallOptions): Promise<Schemas['PrincipalAgents']> {
    const params = { principal_id: principalId };
    return this.#wire.call('get', '/api/v1/principals/{principal_id}/agents', { params, options });
  }

  async grantMandate(
    agentId: string,
    body: Schemas['GrantMandate'],
    options?: CreationOptions,
  ): Promise<OnboardingMandate> {
    const asked = { ...creation(body, options), params: { agent_id: agentId } };
    return mandateInText(
      await this.#wire.call('post', '/api/v1/agents/{agent_id}/mandates', asked),
    );
  }

  /** Sandbox only: creates a key that acts for this Principal; it is returned only this once. */
  createSandboxKey(principalId: string, options?: CallOptions): Promise<Schemas['SandboxKey']> {
    const params = { principal_id: principalId };
    const path = '/api/v1/principals/{principal_id}/sandbox-key';
    return this.#wire.call('post', path, { params, options });
  }

  /** Sandbox only: completes a pending verification. */
  simulateVerification(
    principalId: string,
    result: Schemas['SimulateVerification']['result'],
    options?: CallOptions,
  ): Promise<Principal> {
    const asked = { params: { principal_id: principalId }, body: { result }, options };
    return this.#wire.call(
      'post',
      '/api/v1/principals/{principal_id}/verification/simulate',
      asked,
    );
  }

  getProgram(programId: string, options?: CallOptions): Promise<Program> {
    const params = { program_id: programId };
    return this.#wire.call('get', '/api/v1/programs/{program_id}', { params, options });
  }

  listPrograms({ limit, ...options }: ListOptions = {}): Pages<Program> {
    return new Pages(async (cursor) => {
      const asked = { query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/programs', asked);
      return pageOf(page, ({ limit_ceilings: ceilings, ...program }) => ({
        ...program,
        limit_ceilings: inText(ceilings, ...limitFields),
      }));
    });
  }
}

const limitFields: LimitFields[] = [
  'max_amount_per_transaction',
  'max_daily_amount',
  'max_monthly_amount',
];

function mandateInText({ limits, ...mandate }: WireMandate): OnboardingMandate {
  return { ...mandate, limits: inText(limits, ...limitFields) };
}

function creation<T>(body: T, { idempotencyKey = newKey(), ...options }: CreationOptions = {}) {
  return { body, idempotencyKey, options };
}
