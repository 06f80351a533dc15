import type { Clock } from '@countersign/kernel/clock';
import {
  type Environment,
  environments,
  type PerEnvironment,
  perEnvironment,
} from '@countersign/kernel/environment';
import type { SigningKey } from '@countersign/proto/decision';
import type { PublicTokenKey, TokenKeys } from './authentication/token-keys.js';
import type { Clients } from './clients.js';
import { KeptRead } from './kept-read.js';

export interface PublishedKeySet {
  /** Keys that sign decisions, by environment. */
  signing: Array<{ environment: Environment; key: SigningKey }>;
  /** Keys that sign access tokens. */
  token: PublicTokenKey[];
  /** False where the sandbox's signing keys are missing, since they are not known. */
  complete: boolean;
}

interface Options {
  clients: Pick<Clients, 'decision'>;
  tokenKeys: TokenKeys;
  clock: Clock;
  oauthEnvironments: readonly string[];
}

/**
 * The endpoint is public and not rate limited, so the owning services are asked at most this often,
 * or after a failure this often.
 */
const freshMs = 5_000;
const retryMs = 1_000;
/** Used for this long while an owning service is away: keys are published long before their use. */
const usableMs = 24 * 3_600_000;
const deadlineMs = 1_500;

/**
 * All public keys of this installation, cached for a few seconds. Each source is read and kept by
 * itself, so that an outage of one environment changes nothing about the keys of the other.
 */
export class PublishedKeys {
  readonly #options: Options;
  readonly #signing: PerEnvironment<KeptRead<SigningKey[]>>;
  readonly #token: KeptRead<PublicTokenKey[]>;

  constructor(options: Options) {
    this.#options = options;
    const times = { clock: options.clock, freshMs, retryMs, usableMs };
    this.#signing = perEnvironment(() => new KeptRead(times));
    this.#token = new KeptRead(times);
  }

  /**
   * Rejects where live's keys or those of tokens were not read for a day: a verifier takes a key
   * that is not in the set for a forgery, but asks again where it gets no set. The sandbox's are
   * left out instead. No money depends on them, and like the readiness of a service, live's keys
   * must not depend on the sandbox's database.
   */
  async read(requestId: string): Promise<PublishedKeySet> {
    const [live, sandbox, token] = await Promise.all([
      this.#signingKeys('live', requestId),
      this.#signingKeys('sandbox', requestId).catch(() => null),
      this.#token.get(() => this.#askTokenKeys()),
    ]);
    return { signing: [...live, ...(sandbox ?? [])], token, complete: sandbox !== null };
  }

  /** Called after a key was changed through this replica, so that the next read is fresh. */
  outdate(environment: Environment): void {
    this.#signing[environment].outdate();
  }

  async #signingKeys(environment: Environment, requestId: string) {
    const { decision } = this.#options.clients;
    const keys = await this.#signing[environment].get(async () => {
      const options = { environment, requestId, deadlineMs };
      return (await decision.call.ListSigningKeys({}, options)).keys;
    });
    return keys.map((key) => ({ environment, key }));
  }

  #askTokenKeys(): Promise<PublicTokenKey[]> {
    const { tokenKeys, oauthEnvironments } = this.#options;
    return tokenKeys.publicKeys(environments.filter((name) => oauthEnvironments.includes(name)));
  }
}
