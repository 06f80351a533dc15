import { isText } from './json-object.js';
import { readSdJwt } from './sd-jwt.js';
import type { IntentChain } from './shape.js';

/** The unverified iss and kid of L1, which are needed to look up the issuer's key. */
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
