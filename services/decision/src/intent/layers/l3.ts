import { digestOf } from '../base64url.js';
import type { AgentKey } from '../delegated-key.js';
import type { Examination } from '../examination.js';
import { readLifetime } from '../lifetime.js';
import { delegatedMandates, type Mandate } from '../mandates.js';
import { readNonce } from '../nonce.js';
import { isSignedBy } from '../p256-key.js';
import type { SdJwt } from '../sd-jwt.js';
import type { MandateKind } from '../vct.js';
import type { Grant } from './l2.js';

/** What the agent signed: one payment or one checkout within the user's limits. */
interface Fulfilment {
  nonce: string | null;
  expiresAt: number | null;
  /** The final mandate; null unless there is exactly one. */
  mandate: Mandate | null;
}

interface Presented {
  /** The name that the caller knows: l3_payment or l3_checkout. */
  layer: string;
  credential: SdJwt;
  subject: MandateKind['subject'];
  /** L2 as presented with it. */
  view: SdJwt;
  agentKey: AgentKey;
  grant: Grant;
}

const maxSeconds = 3_600;

/** Null if the agent did not sign it. */
export function examineL3(presented: Presented, examination: Examination): Fulfilment | null {
  const { layer, credential, agentKey, grant } = presented;
  const { findings } = examination;
  const signed = isSignedBy(credential, agentKey.key);
  const detail = `${layer} is not signed in ES256 by the key that l2 delegates to`;
  if (!findings.expect(signed, 'VI_SIGNATURE_INVALID', detail)) return null;
  examineBinding(presented, examination);
  const { payload } = credential;
  const expiresAt = readLifetime({ layer, payload, maxSeconds }, examination);
  const nonce = readNonce(credential, layer, findings);
  const fresh = nonce === null || nonce !== grant.nonce;
  findings.expect(fresh, 'VI_BINDING_INVALID', `${layer} needs a nonce other than that of l2`);
  return { nonce, expiresAt, mandate: readMandate(presented, examination) };
}

function examineBinding(presented: Presented, { findings }: Examination): void {
  const { layer, credential, view, agentKey } = presented;
  const { header, payload } = credential;
  const typ = header.typ === 'kb-sd-jwt';
  findings.expect(typ, 'VI_BINDING_INVALID', `${layer} needs typ kb-sd-jwt`);
  const named = agentKey.kid !== null && header.kid === agentKey.kid;
  findings.expect(named, 'VI_BINDING_INVALID', `the kid of ${layer} is not that of the cnf in l2`);
  const bound = payload.sd_hash === digestOf(view.text);
  const detail = `the sd_hash of ${layer} is not that of l2 as presented with it`;
  findings.expect(bound, 'VI_BINDING_INVALID', detail);
  const ends = !('cnf' in payload || 'constraints' in payload);
  findings.expect(ends, 'VI_BINDING_INVALID', `${layer} must not delegate further`);
}

function readMandate(presented: Presented, { findings }: Examination): Mandate | null {
  const { layer, credential, subject } = presented;
  const delegated = delegatedMandates(credential, layer, findings);
  if (!delegated) return null;
  const whole = delegated.withheld === 0;
  findings.expect(whole, 'VI_DISCLOSURE_INCOMPLETE', `${layer} must disclose all of its mandates`);
  const [mandate, ...others] = delegated.mandates;
  if (!mandate || others.length > 0 || mandate.open || mandate.subject !== subject) {
    const code = delegated.mandates.length === 0 && !whole ? 'VI_DISCLOSURE_INCOMPLETE' : null;
    findings.add(code ?? 'VI_BINDING_INVALID', `${layer} needs one final ${subject} mandate`);
    return null;
  }
  const final = !('cnf' in mandate.body || 'constraints' in mandate.body);
  const detail = `the mandate of ${layer} is final: it must have neither cnf nor constraints`;
  findings.expect(final, 'VI_BINDING_INVALID', detail);
  return mandate;
}
