import type { Clock } from '@countersign/kernel/clock';
import { type Environment, environments } from '@countersign/kernel/environment';
import type { SigningKey } from '@countersign/proto/decision';
import { oauthEnabled } from './authentication/secrets.js';
import type { PublicTokenKey, TokenKeys } from './authentication/token-keys.js';
import type { Clients } from './clients.js';
import { KeptRead } from './kept-read.js';

export interface PublishedKeySet {
  /** Keys that sign decisions, by environment. */
  signing: Array<{ environment: Environment; key: SigningKey }>;
  /** Keys that sign access tokens. */
  token: PublicTokenKey[];
}

interface Options {
  clients: Pick<Clients, 'decision'>;
  tokenKeys: TokenKeys;
  clock: Clock;
  oauthEnvironments: readonly string[];
}

/**
 * The endpoint is public and not rate limited, so the owning services are asked at most this often.
 */
const freshMs = 5_000;
/** Used for this long while an owning service is away: keys are published long before their use. */
const usableMs = 24 * 3_600_000;
const deadlineMs = 1_500;

/** All public keys of this installation, cached for a few seconds. */
export class PublishedKeys {
  readonly #options: Options;
  readonly #kept: KeptRead<PublishedKeySet>;

  constructor(options: Options) {
    this.#options = options;
    this.#kept = new KeptRead({ clock: options.clock, freshMs, usableMs });
  }

  /** Rejects only where the keys were not read for a day. */
  read(requestId: string): Promise<PublishedKeySet> {
    return this.#kept.get(() => this.#ask(requestId));
  }

  /** Called after a key was changed through this replica, so that the next read is fresh. */
  outdate(): void {
    this.#kept.outdate();
  }

  async #ask(requestId: string): Promise<PublishedKeySet> {
    const { clients, tokenKeys, oauthEnvironments } = this.#options;
    const withOauth = environments.filter((name) => oauthEnabled(oauthEnvironments, name));
    const [token, ...lists] = await Promise.all([
      tokenKeys.publicKeys(withOauth),
      ...environments.map(async (environment) => {
        const options = { environment, requestId, deadlineMs };
        const { keys } = await clients.decision.call.ListSigningKeys({}, options);
        return keys.map((key) => ({ environment, key }));
      }),
    ]);
    return { signing: lists.flat(), token };
  }
}
