import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';

type Schemas = components['schemas'];
export type ThresholdChange = Schemas['PutThresholds'];

/** Thresholds of gates, risk and promotion for the acting Principal. */
export class Thresholds {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  get(options?: CallOptions): Promise<Schemas['Thresholds']> {
    return this.#wire.call('get', '/api/v1/thresholds', { options });
  }

  /** Changes only the given fields; null resets a field to its default. */
  update(change: ThresholdChange, options?: CallOptions): Promise<Schemas['ThresholdsUpdated']> {
    return this.#wire.call('put', '/api/v1/thresholds', { body: change, options });
  }

  /**
   * What a change would have made of the newest decisions about an agent: each is evaluated again
   * from its recorded facts. Changes nothing. `limit` is 100 by default and at most 500.
   */
  preview(
    change: ThresholdChange,
    { agentId, limit }: { agentId: string; limit?: number },
    options?: CallOptions,
  ): Promise<Schemas['ThresholdsPreview']> {
    const query = { agent_id: agentId, limit };
    const asked = { body: change, query, repeatable: true, options };
    return this.#wire.call('post', '/api/v1/thresholds/preview', asked);
  }

  reset(options?: CallOptions): Promise<Schemas['ThresholdsReset']> {
    return this.#wire.call('delete', '/api/v1/thresholds', { options });
  }
}
