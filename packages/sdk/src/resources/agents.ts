import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import type { ListOptions } from './list.js';

type Schemas = components['schemas'];
export type Agent = Schemas['Agent'];
export type AgentMetrics = Schemas['AgentMetrics'];
export type AgentStatus = Schemas['AgentStatus'];
export type NewAgent = Schemas['CreateAgent'];
export type StatusChange = Schemas['UpdateAgentStatus'];

export interface AgentListOptions extends ListOptions {
  status?: Agent['status'] | undefined;
  trustLevel?: Agent['trust_level'] | undefined;
}

/** The agents of the acting Principal. */
export class Agents {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  create(agent: NewAgent, options?: CallOptions): Promise<Agent> {
    return this.#wire.call('post', '/api/v1/agents', { body: agent, options });
  }

  get(agentId: string, options?: CallOptions): Promise<Agent> {
    const params = { agent_id: agentId };
    return this.#wire.call('get', '/api/v1/agents/{agent_id}', { params, options });
  }

  /** Paginated by page number: if agents are added meanwhile, some may appear twice. */
  list({ limit = 25, status, trustLevel, ...options }: AgentListOptions = {}): Pages<Agent> {
    return new Pages(async (cursor) => {
      const page = cursor === undefined ? 1 : Number(cursor);
      const query = { status, trust_level: trustLevel, page, page_size: limit };
      const { agents, total } = await this.#wire.call('get', '/api/v1/agents', { query, options });
      const isLast = agents.length === 0 || page * limit >= total;
      return { items: agents, nextCursor: isLast ? null : String(page + 1) };
    });
  }

  metrics(agentId: string, options?: CallOptions): Promise<AgentMetrics> {
    const params = { agent_id: agentId };
    return this.#wire.call('get', '/api/v1/agents/{agent_id}/metrics', { params, options });
  }

  /**
   * Once a suspension or revocation has been answered, nothing more is approved. An activation is
   * not repeated: that would undo a suspension made meanwhile.
   */
  setStatus(agentId: string, change: StatusChange, options?: CallOptions): Promise<AgentStatus> {
    const params = { agent_id: agentId };
    const asked = { params, body: change, options, repeatable: change.status !== 'ACTIVE' };
    return this.#wire.call('patch', '/api/v1/agents/{agent_id}/status', asked);
  }
}
