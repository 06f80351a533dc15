import { inspect } from 'node:util';
import type { JWTVerifyGetKey } from 'jose';
import { AccessTokens } from './access-tokens.js';
import { exactAmounts } from './amount.js';
import {
  type AttestationOptions,
  type Attested,
  type AttestedClaims,
  remoteKeys,
  verifyAttestation,
} from './attestation.js';
import { ApiKey } from './credential.js';
import type { Decision, Simulation } from './decision.js';
import type { CallOptions } from './http/call.js';
import { Transport } from './http/transport.js';
import { Wire } from './http/wire.js';
import { type ClientOptions, type Settings, settingsOf } from './options.js';
import { Agents } from './resources/agents.js';
import { Cases } from './resources/cases.js';
import { Catalog } from './resources/catalog.js';
import { Log } from './resources/log.js';
import { Mandates } from './resources/mandates.js';
import { OnboardingPlane } from './resources/onboarding.js';
import { Outcomes } from './resources/outcomes.js';
import * as payments from './resources/payments.js';
import { Settlements } from './resources/settlements.js';
import { StepUps } from './resources/step-ups.js';
import { Thresholds } from './resources/thresholds.js';
import { Webhooks } from './resources/webhooks.js';

/** State shared by clients that act for different Principals: access tokens and keys. */
interface Shared {
  settings: Settings;
  wire: Wire;
  keys: JWTVerifyGetKey;
}

/** The API on behalf of one Principal. Created by `Countersign` and `actingFor`. */
export class ActingClient {
  readonly log: Log;
  readonly stepUps: StepUps;
  readonly agents: Agents;
  readonly mandates: Mandates;
  readonly outcomes: Outcomes;
  readonly settlements: Settlements;
  readonly webhooks: Webhooks;
  readonly thresholds: Thresholds;
  readonly cases: Cases;
  readonly onboarding: OnboardingPlane;
  readonly catalog: Catalog;
  readonly #shared: Shared;
  readonly #wire: Wire;
  readonly #principalId: string | undefined;

  constructor(shared: Shared, principalId: string | undefined) {
    const wire = shared.wire.actingFor(principalId);
    this.#shared = shared;
    this.#wire = wire;
    this.#principalId = principalId;
    this.log = new Log(wire);
    this.stepUps = new StepUps(wire);
    this.agents = new Agents(wire);
    this.mandates = new Mandates(wire);
    this.outcomes = new Outcomes(wire);
    this.settlements = new Settlements(wire);
    this.webhooks = new Webhooks(wire);
    this.thresholds = new Thresholds(wire);
    this.cases = new Cases(wire);
    this.onboarding = new OnboardingPlane(wire.actingFor(undefined));
    this.catalog = new Catalog(wire.open());
  }

  /** The same client, sharing its tokens, on behalf of another Principal. */
  actingFor(principalId: string): ActingClient {
    return new ActingClient(this.#shared, principalId);
  }

  /**
   * Asks whether this agent may make this payment now. APPROVE, DECLINE and STEP_UP are results,
   * not errors. If no `idempotency_key` is given, one is generated and returned.
   */
  authorize(payment: payments.PaymentRequest, options?: CallOptions): Promise<Decision> {
    return payments.authorize(this.#wire, payment, options);
  }

  /** Evaluates a payment without reserving, recording or publishing anything. */
  simulate(payment: payments.PaymentRequest, options?: CallOptions): Promise<Simulation> {
    return payments.simulate(this.#wire, payment, options);
  }

  /** Releases the amount reserved by an approval: all of it, or `amount`. */
  reverse(reversal: payments.ReversalRequest, options?: CallOptions): Promise<payments.Reversal> {
    return payments.reverse(this.#wire, reversal, options);
  }

  /** `verifyAttestation` with the published keys and the issuer of this client's environment. */
  verifyAttestation(
    attested: Attested,
    options: Partial<AttestationOptions> = {},
  ): Promise<AttestedClaims> {
    const { settings, keys } = this.#shared;
    // As it was sent, with integer amounts as text.
    const request = exactAmounts(options.request);
    const issuer = options.issuer ?? settings.issuer;
    return verifyAttestation(attested, keys, { ...options, issuer, request });
  }

  toJSON(): Record<string, unknown> {
    return { baseUrl: this.#shared.settings.baseUrl, principalId: this.#principalId };
  }

  [inspect.custom](): string {
    return `Countersign ${inspect(this.toJSON())}`;
  }
}

/** A client for the service with one credential: the entry point of an integration. */
export class Countersign extends ActingClient {
  constructor(options: ClientOptions) {
    super(sharedOf(options), options.principalId);
  }
}

function sharedOf(options: ClientOptions): Shared {
  const settings = settingsOf(options);
  const transport = new Transport(settings);
  const { apiKey, oauth } = options;
  const credential =
    oauth === undefined ? new ApiKey(apiKey) : new AccessTokens({ ...oauth }, transport);
  return { settings, wire: new Wire(transport, credential), keys: keysOf(settings) };
}

/** Fetched by the client's own fetch from its base URL, which was validated before. */
function keysOf({ baseUrl, fetch }: Settings): JWTVerifyGetKey {
  return remoteKeys(baseUrl, { fetch, allowHttp: true });
}
