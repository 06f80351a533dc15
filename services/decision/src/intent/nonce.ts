import type { Findings } from './findings.js';
import { isText } from './json-object.js';
import type { SdJwt } from './sd-jwt.js';

/** Nonces are stored until they expire, hence the limit on the length. */
export function readNonce({ payload }: SdJwt, layer: string, findings: Findings): string | null {
  const { nonce } = payload;
  if (isText(nonce)) return nonce;
  findings.add('VI_CHAIN_MALFORMED', `${layer} needs a nonce of 1 to 255 characters`);
  return null;
}
