import { digestOf } from '../base64url.js';
import type { Examination } from '../examination.js';
import type { Findings } from '../findings.js';
import { daySeconds, readLifetime } from '../lifetime.js';
import { type Delegated, delegatedMandates } from '../mandates.js';
import { readNonce } from '../nonce.js';
import { isSignedBy } from '../p256-key.js';
import type { SdJwt } from '../sd-jwt.js';
import type { Root } from './l1.js';

type Mode = 'IMMEDIATE' | 'AUTONOMOUS';

/** What the user signed: a payment (immediate mode), or limits for an agent (autonomous mode). */
export interface Grant {
  credential: SdJwt;
  mode: Mode;
  delegated: Delegated;
  /** Null if malformed. */
  nonce: string | null;
  /** Epoch seconds; null if malformed. */
  expiresAt: number | null;
}

const rulesOf = {
  IMMEDIATE: { typ: 'kb-sd-jwt', maxSeconds: 900 },
  AUTONOMOUS: { typ: 'kb-sd-jwt+kb', maxSeconds: 30 * daySeconds },
};

/** Null if the user did not sign it or its mode cannot be determined. */
export function examineGrant(l2: SdJwt, root: Root, examination: Examination): Grant | null {
  const { findings } = examination;
  const signed = isSignedBy(l2, root.userKey);
  const detail = "l2 is not signed in ES256 by the user's key of l1";
  if (!findings.expect(signed, 'VI_SIGNATURE_INVALID', detail)) return null;
  const bound = l2.payload.sd_hash === digestOf(root.text);
  findings.expect(bound, 'VI_BINDING_INVALID', 'the sd_hash of l2 is not that of l1 as presented');
  examineAudience(l2, examination);
  const nonce = readNonce(l2, 'l2', findings);
  const delegated = delegatedMandates(l2, 'l2', findings);
  const mode = delegated && modeOf(delegated, findings);
  if (!mode) return null;
  const { typ, maxSeconds } = rulesOf[mode];
  const rightTyp = l2.header.typ === typ;
  findings.expect(rightTyp, 'VI_BINDING_INVALID', `l2 with such mandates needs typ ${typ}`);
  const claims = { layer: 'l2', payload: l2.payload, maxSeconds };
  const expiresAt = readLifetime(claims, examination);
  return { credential: l2, mode, delegated, nonce, expiresAt };
}

function examineAudience(l2: SdJwt, { surroundings, findings }: Examination): void {
  const { audiences, agentDid } = surroundings;
  const { aud } = l2.payload;
  const ours = typeof aud === 'string' && [agentDid, ...audiences].includes(aud);
  const detail = 'the audience of l2 is neither this service nor this agent';
  findings.expect(ours, 'VI_AUDIENCE_MISMATCH', detail);
}

/** Determined by the mandates; `typ` is only a label and is checked against it. */
function modeOf({ mandates }: Delegated, findings: Findings): Mode | null {
  if (mandates.length === 0) {
    findings.add('VI_DISCLOSURE_INCOMPLETE', 'l2 discloses no mandate');
    return null;
  }
  const open = mandates.filter((mandate) => mandate.open).length;
  if (open > 0 && open < mandates.length) {
    findings.add('VI_BINDING_INVALID', 'l2 mixes open and final mandates');
    return null;
  }
  return open > 0 ? 'AUTONOMOUS' : 'IMMEDIATE';
}
