import { inText } from '../amount.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { type ListOptions, pageOf } from './list.js';

type Schemas = components['schemas'];
export type Outcome = Schemas['Outcome'];
export type OutcomeReport = Schemas['ReportOutcome'];
export type OutcomeBatch = Schemas['OutcomeBatch'];

/**
 * Outcomes of payments. At most one outcome per type and payment: reporting it again changes
 * nothing.
 */
export class Outcomes {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  report(outcome: OutcomeReport, options?: CallOptions): Promise<Outcome> {
    return this.#wire.call('post', '/api/v1/outcomes', {
      body: outcome,
      options,
      repeatable: true,
    });
  }

  /** Up to 500; each is recorded or refused independently, see `results`. */
  reportAll(outcomes: readonly OutcomeReport[], options?: CallOptions): Promise<OutcomeBatch> {
    const asked = { body: { outcomes: [...outcomes] }, options, repeatable: true };
    return this.#wire.call('post', '/api/v1/outcomes/batch', asked);
  }

  list(authorizationId: string, { limit, ...options }: ListOptions = {}): Pages<Outcome> {
    const params = { authorization_id: authorizationId };
    return new Pages(async (cursor) => {
      const asked = { params, query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/outcomes/{authorization_id}', asked);
      return pageOf(page, (outcome) => inText(outcome, 'settled_amount'));
    });
  }
}
