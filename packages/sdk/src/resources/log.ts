import { inText } from '../amount.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { type ListOptions, pageOf } from './list.js';

type Schemas = components['schemas'];
export type LogEntry = Schemas['AuthorizationLogEntry'];
/** An entry as lists have it: without the on-chain transfer. */
export type LogListEntry = Omit<LogEntry, 'crypto'>;
export type Explanation = Schemas['Explanation'];

/** Recorded decisions, in their current state. */
export class Log {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  get(authorizationId: string, options?: CallOptions): Promise<LogEntry> {
    const params = { authorization_id: authorizationId };
    return this.#wire.call('get', '/api/v1/authorize/log/{authorization_id}', { params, options });
  }

  /** The decisions of one agent, newest first. */
  list(agentId: string, { limit, ...options }: ListOptions = {}): Pages<LogListEntry> {
    const params = { agent_id: agentId };
    return new Pages(async (cursor) => {
      const asked = { params, query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/authorize/log/agent/{agent_id}', asked);
      return pageOf(page, (entry) => inText(entry, 'amount', 'reversed_amount'));
    });
  }

  /**
   * The explanation of a decision: every rule with its outcome, the components of the scores, and
   * the facts they were computed from.
   */
  explain(authorizationId: string, options?: CallOptions): Promise<Explanation> {
    const params = { authorization_id: authorizationId };
    const path = '/api/v1/authorize/log/{authorization_id}/explain';
    return this.#wire.call('get', path, { params, options });
  }
}
