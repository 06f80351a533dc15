import { sealBytes } from '@countersign/kernel/cipher';
import type { Clock } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import { withDeadline } from '@countersign/runtime/deadline';
import type { Logger } from '@countersign/runtime/log';
import type { JWK } from 'jose';
import type { PrismaClient } from '../db.js';
import { KeptRead } from '../kept-read.js';
import { readDeadlineMs } from './credential.js';
import { cannotVerify } from './refusals.js';
import { newTokenKey, openedTokenKey, type TokenKey, type TokenKeyRow } from './token-key.js';
import { unsealAny } from './unseal.js';

/** What the JWKS and the list of public keys show of one. */
export interface PublicTokenKey {
  kid: string;
  /** With kid, use and alg. */
  jwk: JWK;
}

interface Options {
  prisma: PrismaClient;
  cipherKey: Buffer;
  /** While SECRETS_KEY is being replaced: another replica may have sealed with one of these. */
  formerKeys: readonly Buffer[];
  clock: Clock;
  log: Logger;
}

/**
 * A token that names an unknown key makes every replica look, but not more often than this, whether
 * the database answers or not.
 */
const reloadPauseMs = 1_000;
const readDeadline = { ms: readDeadlineMs, what: 'the store of token keys' };

/**
 * The ES256 keys that sign access tokens, one active for each environment, shared by all replicas
 * through the database. Whoever needs the first one makes it.
 */
export class TokenKeys {
  readonly #options: Options;
  readonly #keys = new Map<string, TokenKey>();
  readonly #active = new Map<Environment, TokenKey>();
  /** Ids of the keys that this replica cannot open. */
  readonly #closed = new Set<string>();
  readonly #loads: KeptRead<void>;

  constructor(options: Options) {
    this.#options = options;
    const { clock } = options;
    this.#loads = new KeptRead({ clock, freshMs: reloadPauseMs, retryMs: reloadPauseMs });
  }

  /** Spares the first requests the wait. Where it fails, the first of them tries again. */
  async warmUp(): Promise<void> {
    await this.#load().catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'the token keys were not read in advance');
    });
    // Another replica may make the first key, and issue a token, right after this one has looked.
    this.#loads.outdate();
  }

  async signingKey(environment: Environment): Promise<TokenKey> {
    const known = this.#active.get(environment);
    if (known) return known;
    await this.#ensure(environment);
    this.#loads.outdate();
    await this.#load();
    const key = this.#active.get(environment);
    if (!key) throw new Error(`no active token key for ${environment}`);
    return key;
  }

  /**
   * Null for a key that is not ours, as far as the database knows at this moment. Rejects where
   * that cannot be said: a token of it may be good.
   */
  async verificationKey(kid: string): Promise<TokenKey | null> {
    const known = this.#keys.get(kid);
    if (known) return known;
    await withDeadline(this.#load(), readDeadline).catch((error: unknown) => {
      throw cannotVerify(error);
    });
    const loaded = this.#keys.get(kid);
    if (loaded) return loaded;
    if (!this.#closed.has(kid)) return null;
    throw cannotVerify(new Error(`no SECRETS_KEY opens the token key ${kid}`));
  }

  /** Every key a token may still verify against; makes the first key of each environment named. */
  async publicKeys(environments: readonly Environment[]): Promise<PublicTokenKey[]> {
    for (const environment of environments) {
      if (!this.#active.has(environment)) await this.#ensure(environment);
    }
    const rows = await this.#options.prisma.tokenKey.findMany({ orderBy: { createdAt: 'asc' } });
    return rows.map((row) => ({
      kid: row.kid,
      jwk: { ...(row.publicJwk as JWK), kid: row.kid, use: 'sig', alg: 'ES256' },
    }));
  }

  /** Two replicas may both try; the index on the active key lets one of them win. */
  async #ensure(environment: Environment): Promise<void> {
    const { prisma, cipherKey } = this.#options;
    const active = await prisma.tokenKey.count({ where: { environment, status: 'ACTIVE' } });
    if (active > 0) return;
    const { kid, jwk, secret } = await newTokenKey();
    await prisma.$executeRaw`
      INSERT INTO token_key (kid, environment, status, public_jwk, sealed_private)
      VALUES (${kid}, ${environment}, 'ACTIVE', ${JSON.stringify(jwk)}::jsonb,
        ${sealBytes(cipherKey, kid, secret)})
      ON CONFLICT DO NOTHING`;
  }

  #load(): Promise<void> {
    return this.#loads.get(async () => {
      for (const row of await this.#options.prisma.tokenKey.findMany()) this.#take(row);
    });
  }

  #take(row: TokenKeyRow): void {
    const key = this.#keys.get(row.kid) ?? this.#open(row);
    if (!key) return;
    this.#keys.set(key.kid, key);
    if (row.status === 'ACTIVE') this.#active.set(key.environment, key);
  }

  /** Null where no SECRETS_KEY opens it, which is no reason to do without the others. */
  #open(row: TokenKeyRow): TokenKey | null {
    const { kid } = row;
    const { cipherKey, formerKeys, log } = this.#options;
    const secret = unsealAny([cipherKey, ...formerKeys], kid, Buffer.from(row.sealedPrivate));
    if (!secret) {
      if (!this.#closed.has(kid)) log.error({ kid }, 'no SECRETS_KEY opens a token key');
      this.#closed.add(kid);
      return null;
    }
    this.#closed.delete(kid);
    return openedTokenKey(row, secret);
  }
}
