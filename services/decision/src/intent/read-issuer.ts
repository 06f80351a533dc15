import { isText } from './json-object.js';
import { readSdJwt } from './sd-jwt.js';
import type { IntentChain } from './shape.js';

/** iss and kid of l1, read without trusting them, to find the issuer's key by. */
export function readIssuer(chain: IntentChain): { iss: string; kid: string } | null {
  try {
    const l1 = readSdJwt(chain.l1);
    const iss = l1?.payload.iss;
    const kid = l1?.header.kid;
    return isText(iss) && isText(kid) ? { iss, kid } : null;
  } catch {
    return null;
  }
}
