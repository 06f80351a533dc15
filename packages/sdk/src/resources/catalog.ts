import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';

type Schemas = components['schemas'];
export type Reason = Schemas['ReasonCatalog']['reason_codes'][number];

/** Public information of the service: no credential is sent. */
export class Catalog {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Every reason code with its meaning, its severity and whether a retry may help. */
  async reasonCodes(options?: CallOptions): Promise<Reason[]> {
    return (await this.#wire.call('get', '/api/v1/reason-codes', { options })).reason_codes;
  }

  /** Every event that webhooks may receive, with a sample. */
  webhookEvents(options?: CallOptions): Promise<Schemas['WebhookEventCatalog']> {
    return this.#wire.call('get', '/api/v1/webhooks/events', { options });
  }

  publicKeys(options?: CallOptions): Promise<Schemas['PublicKeys']> {
    return this.#wire.call('get', '/api/v1/public-keys', { options });
  }

  /** Throws an UnavailableError if the service reports that it is down. */
  health(options?: CallOptions): Promise<Schemas['Health']> {
    return this.#wire.call('get', '/api/v1/health', { options });
  }
}
