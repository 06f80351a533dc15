import type { Examination } from './examination.js';
import type { JsonObject } from './json-object.js';

/**
 * The reference implementation tolerates five minutes, which would double the life of a short L3.
 */
export const skewSeconds = 60;

export const daySeconds = 86_400;

interface Claims {
  /** The name that the caller knows: l1, l2, l3_payment or l3_checkout. */
  layer: string;
  payload: JsonObject;
  maxSeconds: number;
}

/**
 * Checks the validity period. Returns its end, or null if the claims are malformed. The end is
 * capped at the longest period that would be accepted: nonces are stored until then, so a
 * credential must not be able to demand unlimited storage.
 */
export function readLifetime(claims: Claims, examination: Examination): number | null {
  const { layer, payload, maxSeconds } = claims;
  const { exp, iat, nbf = iat } = payload;
  const { findings, surroundings } = examination;
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf) || exp <= iat) {
    findings.add('VI_CHAIN_MALFORMED', `${layer} needs iat and a later exp in whole seconds`);
    return null;
  }
  const now = surroundings.now / 1_000;
  if (now > exp + skewSeconds) findings.add('VI_CREDENTIAL_EXPIRED', `${layer} has expired`);
  if (exp - iat > maxSeconds) {
    const detail = `${layer} is valid for ${exp - iat} s, at most ${maxSeconds} s are accepted`;
    findings.add('VI_CREDENTIAL_EXPIRED', detail);
  }
  if (Math.max(iat, nbf) > now + skewSeconds) {
    findings.add('VI_CREDENTIAL_NOT_YET_VALID', `${layer} is dated in the future`);
  }
  return Math.min(exp, Math.floor(Math.min(iat, now + skewSeconds)) + maxSeconds);
}

/** Up to the year 9999, so that later date arithmetic cannot overflow. */
function isTime(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 253_402_300_800
  );
}
