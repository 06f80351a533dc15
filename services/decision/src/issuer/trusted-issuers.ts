import type { JsonWebKey } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { Logger } from '@countersign/runtime/log';
import type { IntentSurroundings } from '../intent/shape.js';
import type { FetchKeys } from './fetch-keys.js';
import { hasSandboxKey, type KeySet, readKeySet } from './key-set.js';
import { RemoteKeys } from './remote-keys.js';
import { sandboxIssuer } from './sandbox-issuer.js';
import type { IssuerSettings, SubjectBinding } from './settings.js';

export interface FoundIssuer {
  issuer: IntentSurroundings['issuer'];
  /** Null if the issuer is not trusted. */
  subjectBinding: SubjectBinding | null;
}

interface Parts {
  environment: Environment;
  fetch: FetchKeys;
  clock: Clock;
  log: Logger;
}

interface Trusted extends Pick<IssuerSettings, 'vct' | 'subjectBinding'> {
  find(kid: string): Promise<JsonWebKey | 'unknown' | 'unavailable'>;
}

export const untrusted: FoundIssuer = { issuer: { state: 'untrusted' }, subjectBinding: null };

/** The issuers that are trusted in one environment to attest the keys of users. */
export class TrustedIssuers {
  readonly #byName: ReadonlyMap<string, Trusted>;

  constructor(configured: readonly IssuerSettings[], parts: Parts) {
    const all = parts.environment === 'sandbox' ? [...configured, builtIn()] : configured;
    this.#byName = new Map(all.map((issuer) => [issuer.iss, trusted(issuer, parts)]));
  }

  /** Never rejects. A key that the issuer does not publish counts as untrusted. */
  async find({ iss, kid }: { iss: string; kid: string }): Promise<FoundIssuer> {
    const known = this.#byName.get(iss);
    if (!known) return untrusted;
    const { vct, subjectBinding } = known;
    const jwk = await known.find(kid);
    if (jwk === 'unknown') return untrusted;
    if (jwk === 'unavailable') return { issuer: { state: 'unavailable' }, subjectBinding };
    return { issuer: { state: 'found', jwk, vct }, subjectBinding };
  }
}

function trusted({ keys, vct, subjectBinding }: IssuerSettings, parts: Parts): Trusted {
  if (!('uri' in keys)) {
    return { vct, subjectBinding, find: async (kid) => keys.get(kid) ?? 'unknown' };
  }
  const fetch = parts.environment === 'live' ? withoutSandboxKey(parts.fetch) : parts.fetch;
  const remote = new RemoteKeys({ ...parts, fetch, uri: keys.uri });
  return { vct, subjectBinding, find: (kid) => remote.find(kid) };
}

function withoutSandboxKey(fetch: FetchKeys): FetchKeys {
  return async (uri) => {
    const keys: KeySet = await fetch(uri);
    if (hasSandboxKey(keys)) throw new Error("they contain the sandbox issuer's key");
    return keys;
  };
}

function builtIn(): IssuerSettings {
  const { iss, kid, vct, publicJwk } = sandboxIssuer;
  const keys = readKeySet({ keys: [{ ...publicJwk, kid }] });
  return { iss, vct: [vct], keys, subjectBinding: 'tofu' };
}
