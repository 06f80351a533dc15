import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { type Clock, isoTime } from '@countersign/kernel/clock';
import { type Environment, isEnvironment } from '@countersign/kernel/environment';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { PrismaClient } from '../db.js';
import { seal, unsealAny } from '../seal.js';

export interface TokenKey {
  kid: string;
  environment: Environment;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

/** What the JWKS and the list of public keys show of one. */
export interface PublicTokenKey {
  kid: string;
  environment: Environment;
  status: 'ACTIVE' | 'RETIRED';
  /** With kid, use and alg. */
  jwk: JWK;
  createdAt: string;
}

interface Options {
  prisma: PrismaClient;
  cipherKey: Buffer;
  /** While SECRETS_KEY is being replaced: another replica may have sealed with one of these. */
  formerKeys: readonly Buffer[];
  clock: Clock;
}

type Row = Awaited<ReturnType<PrismaClient['tokenKey']['findMany']>>[number];

/** A token that names an unknown key makes every replica look, but not more often than this. */
const reloadPauseMs = 1_000;

/**
 * The ES256 keys that sign access tokens, one active for each environment, shared by all replicas
 * through the database. Whoever needs the first one makes it.
 */
export class TokenKeys {
  readonly #options: Options;
  readonly #keys = new Map<string, TokenKey>();
  readonly #active = new Map<Environment, TokenKey>();
  #reloadedAt = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async signingKey(environment: Environment): Promise<TokenKey> {
    const known = this.#active.get(environment);
    if (known) return known;
    await this.#ensure(environment);
    await this.#reload();
    const key = this.#active.get(environment);
    if (!key) throw new Error(`no active token key for ${environment}`);
    return key;
  }

  /** Null for a key that is not ours, as far as the database knows at this moment. */
  async verificationKey(kid: string): Promise<TokenKey | null> {
    const known = this.#keys.get(kid);
    if (known) return known;
    const now = this.#options.clock();
    if (now - this.#reloadedAt >= reloadPauseMs) await this.#reload();
    return this.#keys.get(kid) ?? null;
  }

  /** Every key a token may still verify against; makes the first key of each environment named. */
  async publicKeys(environments: readonly Environment[]): Promise<PublicTokenKey[]> {
    for (const environment of environments) await this.signingKey(environment);
    const rows = await this.#options.prisma.tokenKey.findMany({ orderBy: { createdAt: 'asc' } });
    return rows.map((row) => ({
      kid: row.kid,
      environment: environmentOf(row),
      status: row.status === 'ACTIVE' ? 'ACTIVE' : 'RETIRED',
      jwk: { ...(row.publicJwk as JWK), kid: row.kid, use: 'sig', alg: 'ES256' },
      createdAt: isoTime(row.createdAt.getTime()),
    }));
  }

  /** Two replicas may both try; the index on the active key lets one of them win. */
  async #ensure(environment: Environment): Promise<void> {
    const { prisma, cipherKey } = this.#options;
    const active = await prisma.tokenKey.count({ where: { environment, status: 'ACTIVE' } });
    if (active > 0) return;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    const kid = await calculateJwkThumbprint(jwk as JWK);
    const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
    await prisma.$executeRaw`
      INSERT INTO token_key (kid, environment, status, public_jwk, sealed_private)
      VALUES (${kid}, ${environment}, 'ACTIVE', ${JSON.stringify(jwk)}::jsonb,
        ${seal(cipherKey, kid, secret)})
      ON CONFLICT DO NOTHING`;
  }

  async #reload(): Promise<void> {
    this.#reloadedAt = this.#options.clock();
    for (const row of await this.#options.prisma.tokenKey.findMany()) {
      const key = this.#keys.get(row.kid) ?? this.#open(row);
      this.#keys.set(key.kid, key);
      if (row.status === 'ACTIVE') this.#active.set(key.environment, key);
    }
  }

  #open(row: Row): TokenKey {
    const { cipherKey, formerKeys } = this.#options;
    const secret = unsealAny([cipherKey, ...formerKeys], row.kid, Buffer.from(row.sealedPrivate));
    if (!secret) throw new Error(`no SECRETS_KEY opens the token key ${row.kid}`);
    const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    return {
      kid: row.kid,
      environment: environmentOf(row),
      privateKey,
      publicKey: createPublicKey(privateKey),
    };
  }
}

function environmentOf(row: Row): Environment {
  if (!isEnvironment(row.environment)) throw new Error(`token key ${row.kid} has no environment`);
  return row.environment;
}
