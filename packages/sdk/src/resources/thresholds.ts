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

  reset(options?: CallOptions): Promise<Schemas['ThresholdsReset']> {
    return this.#wire.call('delete', '/api/v1/thresholds', { options });
  }
}
