import type { Findings } from './findings.js';
import { readSdJwt, type SdJwt } from './sd-jwt.js';
import type { IntentChain } from './shape.js';

/** The parsed credentials of a chain, not verified yet. */
export interface Parts {
  l1: SdJwt;
  l2: SdJwt;
  l3Payment: SdJwt | null;
  checkout: { l2: SdJwt; l3: SdJwt } | null;
}

/** Null if any of them cannot be parsed. */
export function readParts(chain: IntentChain, findings: Findings): Parts | null {
  const l1 = readPart('l1', chain.l1, findings);
  const l2 = readPart('l2', chain.l2, findings);
  const l3Payment = readPart('l3_payment', chain.l3Payment, findings);
  const l3Checkout = readPart('l3_checkout', chain.l3Checkout, findings);
  const l2Checkout = readPart('l2_checkout', chain.l2Checkout, findings);
  const paired = (chain.l3Checkout === undefined) === (chain.l2Checkout === undefined);
  const detail = 'l3_checkout and l2_checkout must be sent together or not at all';
  findings.expect(paired, 'VI_CHAIN_MALFORMED', detail);
  if (!l1 || !l2 || findings.codes.length > 0) return null;
  const checkout = l2Checkout && l3Checkout && { l2: l2Checkout, l3: l3Checkout };
  return { l1, l2, l3Payment, checkout };
}

function readPart(name: string, text: string | undefined, findings: Findings): SdJwt | null {
  if (text === undefined) return null;
  const credential = readSdJwt(text);
  if (!credential) {
    const detail = `${name} is not a well-formed, unambiguous SD-JWT`;
    findings.add('VI_CHAIN_MALFORMED', detail);
  }
  return credential;
}
