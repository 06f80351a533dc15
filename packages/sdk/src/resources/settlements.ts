import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';

type Schemas = components['schemas'];
export type Settlement = Schemas['CryptoSettlement'];
export type SettlementReport = Schemas['ReportSettlement'];

/** On-chain transfers, tracked until they are final. */
export class Settlements {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Reporting the same hash again returns the existing settlement. */
  report(settlement: SettlementReport, options?: CallOptions): Promise<Settlement> {
    const asked = { body: settlement, options, repeatable: true };
    return this.#wire.call('post', '/api/v1/crypto/settlements', asked);
  }

  /** Oldest first. */
  list(authorizationId: string, options?: CallOptions): Promise<Settlement[]> {
    const params = { authorization_id: authorizationId };
    const path = '/api/v1/crypto/settlements/{authorization_id}';
    return this.#wire.call('get', path, { params, options });
  }
}
