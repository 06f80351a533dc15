import { inText } from '../amount.js';
import type { components, operations } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { type ListOptions, pageOf } from './list.js';

type Schemas = components['schemas'];
export type LogEntry = Schemas['AuthorizationLogEntry'];
/** An entry as lists have it: without the on-chain transfer. */
export type LogListEntry = Omit<LogEntry, 'crypto'>;
export type Explanation = Schemas['Explanation'];

type Query = NonNullable<operations['listAuthorizations']['parameters']['query']>;
/**
 * Of an agent, or with a reference or a key; all if it is left out. Times are ISO 8601, `from`
 * inclusive and `until` exclusive.
 */
export type LogSearch = Omit<Query, 'limit' | 'cursor'>;

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

  /** The decisions of all agents of the acting Principal, or some of them, newest first. */
  search(which: LogSearch = {}, { limit, ...options }: ListOptions = {}): Pages<LogListEntry> {
    return new Pages(async (cursor) => {
      const asked = { query: { ...which, limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/authorize/log', asked);
      return pageOf(page, asListed);
    });
  }

  /** The decisions of one agent, newest first. */
  list(agentId: string, { limit, ...options }: ListOptions = {}): Pages<LogListEntry> {
    const params = { agent_id: agentId };
    return new Pages(async (cursor) => {
      const asked = { params, query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/authorize/log/agent/{agent_id}', asked);
      return pageOf(page, asListed);
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

function asListed(entry: Schemas['AuthorizationLogItem']): LogListEntry {
  return inText(entry, 'amount', 'reversed_amount');
}
