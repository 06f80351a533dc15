import type { Examination } from './examination.js';
import type { JsonObject } from './json-object.js';

/** The reference allows five minutes, which would double the life of an L3. */
export const skewSeconds = 60;

export const daySeconds = 86_400;

interface Claims {
  /** As the chain is named to the caller: l1, l2, l3_payment, l3_checkout. */
  layer: string;
  payload: JsonObject;
  maxSeconds: number;
}

/**
 * When it ends, or null where the times cannot be read; finds what is expired, too early or too
 * long. The end is no later than what would verify, since something is kept until then.
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
    const detail = `${layer} lives ${exp - iat} s, at most ${maxSeconds} s are taken`;
    findings.add('VI_CREDENTIAL_EXPIRED', detail);
  }
  if (Math.max(iat, nbf) > now + skewSeconds) {
    findings.add('VI_CREDENTIAL_NOT_YET_VALID', `${layer} is dated in the future`);
  }
  return Math.min(exp, Math.floor(Math.min(iat, now + skewSeconds)) + maxSeconds);
}

/** Until the year 9999, so that nothing later overflows. */
function isTime(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 253_402_300_800
  );
}
