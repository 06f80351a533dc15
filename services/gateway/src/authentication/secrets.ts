import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Environment } from '@countersign/kernel/environment';
import { encodeBase32 } from '@countersign/kernel/id';
import { hasValidChecksum, newChecksummedSecret } from '@countersign/kernel/secret';

const segments = { live: 'live', sandbox: 'test' } as const;

interface ParsedKey {
  environment: Environment;
  /** SHA-256 of the whole key, in hex: all that is ever looked up. */
  hash: string;
}

const keyPattern = /^svc_(live|test)_[0-9A-Za-z]{49}$/;
/** Keys of old have neither an environment nor a checksum; they are looked up in live. */
const legacyPattern = /^svc_(?!live_|test_)[0-9A-Za-z_-]{8,200}$/;
const oauthIdPattern = /^svcoc_(live|test)_[0-9a-hjkmnp-tv-z]{26}$/;

/** Null for what no key looks like, or what was mistyped: refused without a look-up. */
export function parseApiKey(key: string): ParsedKey | null {
  const segment = keyPattern.exec(key)?.[1];
  if (segment) {
    if (!hasValidChecksum(key)) return null;
    return { environment: segment === 'live' ? 'live' : 'sandbox', hash: hashSecret(key) };
  }
  return legacyPattern.test(key) ? { environment: 'live', hash: hashSecret(key) } : null;
}

/** The environment an OAuth client id names, or null when it is not one. */
export function oauthClientEnvironment(clientId: string): Environment | null {
  const segment = oauthIdPattern.exec(clientId)?.[1];
  if (!segment) return null;
  return segment === 'live' ? 'live' : 'sandbox';
}

export function newApiKey(environment: Environment): string {
  return newChecksummedSecret(`svc_${segments[environment]}_`);
}

export function newOauthClientId(environment: Environment): string {
  return `svcoc_${segments[environment]}_${encodeBase32(randomBytes(16))}`;
}

export function newOauthSecret(): string {
  return newChecksummedSecret('svcos_');
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Constant in time for any two texts, whatever their lengths. */
export function equalSecrets(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** What a human may see of a secret to tell it from others. */
export function secretHint(secret: string): string {
  const prefix = /^svc(?:_live|_test|os)?_/.exec(secret)?.[0] ?? '';
  return `${prefix}…${secret.slice(-4)}`;
}

/** A secret of this service inside another text; of the keys of old, those that are as long. */
const secretInText = /(?:svc|svcos|whsec)_[\w-]{40,}/g;

/** With a hint in place of each secret, for a text that is kept and may have one by mistake. */
export function withoutSecrets(text: string): string {
  return text.replace(secretInText, (secret) => secretHint(secret));
}
