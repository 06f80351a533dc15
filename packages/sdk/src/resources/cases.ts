import { inText } from '../amount.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { asItIs, type ListOptions, pageOf } from './list.js';

type Schemas = components['schemas'];
export type FraudCase = Schemas['FraudCase'];
export type FraudPattern = Schemas['FraudPattern'];
export type Resolution = Schemas['ResolveCase']['resolution'];

/** What fraud triage found, if the Program has it. */
export class Cases {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  get(caseId: string, options?: CallOptions): Promise<FraudCase> {
    const params = { case_id: caseId };
    return this.#wire.call('get', '/api/v1/cases/{case_id}', { params, options });
  }

  list({ limit, ...options }: ListOptions = {}): Pages<FraudCase> {
    return new Pages(async (cursor) => {
      const asked = { query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/cases', asked);
      return pageOf(page, (each) => inText(each, 'amount'));
    });
  }

  /** Agents that somebody else may have taken over. */
  patterns({ limit, ...options }: ListOptions = {}): Pages<FraudPattern> {
    return new Pages(async (cursor) => {
      const asked = { query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/fraud-patterns', asked);
      return pageOf(page, asItIs);
    });
  }

  /** Repeating the same resolution changes nothing; a different one is refused. */
  resolve(caseId: string, resolution: Resolution, options?: CallOptions): Promise<FraudCase> {
    const asked = { params: { case_id: caseId }, body: { resolution }, options, repeatable: true };
    return this.#wire.call('post', '/api/v1/cases/{case_id}/resolve', asked);
  }
}
