import { inText } from '../amount.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';

type Schemas = components['schemas'];
export type Mandate = Schemas['Mandate'];
export type NewMandate = Schemas['CreateMandate'];
export type Budget = Schemas['Budget'];

/** Mandates: what agents of the acting Principal may spend. */
export class Mandates {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  create(mandate: NewMandate, options?: CallOptions): Promise<Mandate> {
    return this.#wire.call('post', '/api/v1/mandates', { body: mandate, options });
  }

  get(mandateId: string, options?: CallOptions): Promise<Mandate> {
    const params = { mandate_id: mandateId };
    return this.#wire.call('get', '/api/v1/mandates/{mandate_id}', { params, options });
  }

  /** The newest mandates of an agent, up to 1,000 of them or about 1 MB. */
  async list(
    agentId: string,
    { status, ...options }: CallOptions & { status?: Mandate['status'] | undefined } = {},
  ): Promise<Mandate[]> {
    const asked = { params: { agent_id: agentId }, query: { status }, options };
    const { mandates } = await this.#wire.call('get', '/api/v1/mandates/agent/{agent_id}', asked);
    return mandates.map((each) =>
      inText(each, 'max_amount_per_transaction', 'max_daily_amount', 'max_monthly_amount'),
    );
  }

  /** Usage of its limits today and this month, and the remainder. */
  budget(mandateId: string, options?: CallOptions): Promise<Budget> {
    const params = { mandate_id: mandateId };
    return this.#wire.call('get', '/api/v1/mandates/{mandate_id}/budget', { params, options });
  }

  /** Once a revocation has been answered, nothing more is approved under the mandate. */
  revoke(mandateId: string, options?: CallOptions): Promise<Mandate> {
    const asked = { params: { mandate_id: mandateId }, options, repeatable: true };
    return this.#wire.call('delete', '/api/v1/mandates/{mandate_id}', asked);
  }
}
