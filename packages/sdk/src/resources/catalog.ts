import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';

type Schemas = components['schemas'];
export type Reason = Schemas['ReasonCatalog']['reason_codes'][number];

/** What the service tells everybody: no credential is sent. */
export class Catalog {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Every reason code: what it means, how grave it is, and whether asking again may help. */
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

  /** Throws an UnavailableError where the service says that it is down. */
  health(options?: CallOptions): Promise<Schemas['Health']> {
    return this.#wire.call('get', '/api/v1/health', { options });
  }
}
