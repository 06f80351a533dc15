import type { Clock } from '@countersign/kernel/clock';
import type { Fault } from '@countersign/kernel/fault';
import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from '@countersign/runtime/redis';
import type { Config } from '../config.js';
import type { Cidr } from '../http/client-ip.js';
import type { Caller } from '../request.js';
import { AccessTokens, type TokenClaims } from './access-token.js';
import { Announcements } from './announcements.js';
import { type Credential, CredentialReader, covers } from './credential.js';
import { type Attempt, type Checked, CredentialCheck, type Presented } from './credential-check.js';
import { FailedAttempts } from './failed-attempts.js';
import { Gate } from './gate.js';
import type { RateState } from './rate-limits.js';
import { invalidApiKey, invalidToken, principalKeyProblem, tooManyFailures } from './refusals.js';
import { scopesWithin } from './scopes.js';
import { parseApiKey } from './secrets.js';
import type { TokenKeys } from './token-keys.js';

interface Options {
  config: Config;
  log: Logger;
  metrics: Metrics;
  clock: Clock;
  pool: Pool;
  redis: Redis;
  tokenKeys: TokenKeys;
}

/** What credentials are read and changed with. */
export interface Parts extends Pick<Options, 'pool' | 'clock' | 'log'> {
  authentication: Authentication;
}

export interface Identified {
  caller: Caller;
  /** Null means from anywhere. */
  ipAllowlist: readonly Cidr[] | null;
  /** Null where the group has no limit. */
  rate: RateState | null;
}

/** From what a caller presents to a credential that is good at this moment, or a refusal. */
export class Authentication {
  readonly reader: CredentialReader;
  readonly gate: Gate;
  readonly tokens: AccessTokens;
  readonly failures: FailedAttempts;
  readonly announcements: Announcements;
  readonly #check: CredentialCheck;
  readonly #options: Options;

  constructor(options: Options) {
    const { config, metrics, clock, redis, pool, log, tokenKeys } = options;
    const shared = { redis, metrics, clock, multiplier: config.rateLimitMultiplier };
    this.reader = new CredentialReader(pool, metrics);
    this.gate = new Gate(shared);
    this.failures = new FailedAttempts(shared);
    this.tokens = new AccessTokens({ keys: tokenKeys, issuer: config.baseUrl, clock });
    this.announcements = new Announcements({ pool, gate: this.gate, log });
    this.#check = new CredentialCheck({
      reader: this.reader,
      gate: this.gate,
      metrics,
      clock,
      log,
      reliesOnRedis: () => this.announcements.reliesOnRedis,
    });
    this.#options = options;
  }

  /** A key of the `X-API-Key` header. Throws the one uniform refusal, whatever was wrong. */
  async byApiKey(key: string, attempt: Attempt): Promise<Identified> {
    const parsed = parseApiKey(key);
    if (!parsed) return this.#refuse(attempt, invalidApiKey());
    const presented: Presented = {
      hash: parsed.hash,
      cacheKey: `key ${parsed.hash}`,
      read: (reader) => reader.byHash(parsed.hash),
    };
    await this.#admit(presented, attempt);
    const checked = await this.#check.check(presented, attempt);
    if ('problem' in checked) return this.#refuse(attempt, keyRefusal(checked));
    const { credential } = checked;
    // An OAuth secret is no key, and a key's own prefix alone says where it works.
    if (credential.kind === 'oauth_client' || credential.environment !== parsed.environment) {
      return this.#refuse(attempt, invalidApiKey());
    }
    return identified(checked, {
      kind: credential.kind,
      principalId: credential.principalId,
      scopes: credential.scopes,
      access: credential.access,
    });
  }

  /** An access token of the `Authorization` header, and the credential behind it as it is now. */
  async byAccessToken(token: string, attempt: Attempt): Promise<Identified> {
    const verified = await this.tokens.verify(token);
    if ('problem' in verified) {
      // A token that was good a moment ago is no attack; clients renew when they are told.
      if (verified.problem === 'expired') throw invalidToken();
      return this.#refuse(attempt, invalidToken());
    }
    const { claims } = verified;
    if (!this.#options.config.oauthEnvironments.includes(claims.environment)) {
      throw invalidToken();
    }
    const checked = await this.#check.check(behindToken(claims), attempt);
    if ('problem' in checked) throw invalidToken();
    const { credential } = checked;
    return identified(checked, {
      kind: 'access_token',
      principalId: claims.principalId,
      scopes: scopesWithin(claims.scopes, credential.scopes),
      access: covers(credential.access, claims.access) ? claims.access : credential.access,
    });
  }

  /** Before anything is looked up for an address that keeps failing. */
  async #admit(presented: Presented, { ip }: Attempt): Promise<void> {
    if (this.#check.knows(presented)) return;
    const blocked = await this.failures.blocked(ip);
    if (blocked) throw tooManyFailures(blocked, this.#options.clock());
  }

  async #refuse({ ip }: Attempt, fault: Fault): Promise<never> {
    const blocked = await this.failures.count(ip);
    throw blocked ? tooManyFailures(blocked, this.#options.clock()) : fault;
  }
}

function behindToken(claims: TokenClaims): Presented {
  return {
    hash: null,
    cacheKey: `credential ${claims.credentialId}`,
    read: (reader) => reader.byId(claims.credentialId),
  };
}

function keyRefusal(checked: Extract<Checked, { problem: string }>): Fault {
  const { problem, credential } = checked;
  const ofPrincipal = credential?.kind === 'principal_key';
  const told = problem === 'expired' || problem === 'revoked';
  return ofPrincipal && told ? principalKeyProblem(problem) : invalidApiKey();
}

function identified(
  { credential, rate }: { credential: Credential; rate: RateState | null },
  caller: Pick<Caller, 'kind' | 'principalId' | 'scopes' | 'access'>,
): Identified {
  return {
    caller: {
      credentialId: credential.id,
      clientId: credential.clientId,
      environment: credential.environment,
      ...caller,
    },
    ipAllowlist: credential.ipAllowlist,
    rate,
  };
}
