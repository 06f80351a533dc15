import { isoTime } from '@countersign/kernel/clock';
import type { SigningKeyRow } from '../attestation/key-store.js';
import type { Context } from '../context.js';
import type { DecisionHandlers } from './handler.js';

/** All keys of the environment with their status and times, without private halves. */
export function listSigningKeys(context: Context): DecisionHandlers['ListSigningKeys'] {
  return async (_request, call) => {
    const rows = await context.signing[call.environment].list();
    return { keys: rows.map(signingKeyMessage) };
  };
}

function signingKeyMessage(row: SigningKeyRow) {
  const { kid, status, publicJwk, notBefore, retiredAt, revokedAt } = row;
  return {
    kid,
    status,
    jwkJson: JSON.stringify(publicJwk),
    notBefore: isoTime(notBefore.getTime()),
    ...(retiredAt && { retiredAt: isoTime(retiredAt.getTime()) }),
    ...(revokedAt && { revokedAt: isoTime(revokedAt.getTime()) }),
  };
}
