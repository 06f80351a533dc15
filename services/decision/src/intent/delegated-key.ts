import type { Examination } from './examination.js';
import { isObject, isText } from './json-object.js';
import type { Mandate } from './mandates.js';
import { type P256Key, readP256Key } from './p256-key.js';

/** The key the user delegates to, and the name that L3 has to give it. */
export interface AgentKey {
  key: P256Key;
  kid: string | null;
}

/**
 * The key that all disclosed mandates delegate to; null where there is none. With different keys an
 * agent could fulfil one half of what another agent was trusted with.
 */
export function delegatedKey(mandates: Mandate[], { findings }: Examination): AgentKey | null {
  const keys = mandates.map(({ body }) => readConfirmation(body.cnf));
  const [first, ...others] = keys;
  if (!first) {
    findings.add('VI_BINDING_INVALID', 'a mandate of l2 delegates to no key on P-256 in cnf.jwk');
    return null;
  }
  const same = others.every(
    (other) => other?.key.thumbprint === first.key.thumbprint && other.kid === first.kid,
  );
  const detail = 'the mandates of l2 delegate to different keys';
  return findings.expect(same, 'VI_BINDING_INVALID', detail) ? first : null;
}

/** `kid` is in the key, or beside it in the text of the specification. */
function readConfirmation(cnf: unknown): AgentKey | null {
  if (!isObject(cnf) || !isObject(cnf.jwk)) return null;
  const key = readP256Key(cnf.jwk);
  const { kid = cnf.kid } = cnf.jwk;
  return key && { key, kid: isText(kid) ? kid : null };
}

/** The delegated key must be the one that the agent of the request has registered here. */
export function examineRegistration({ key }: AgentKey, examination: Examination): void {
  const { findings, surroundings } = examination;
  const { agentKeyThumbprint } = surroundings;
  if (agentKeyThumbprint === null) {
    findings.add('VI_AGENT_KEY_NOT_REGISTERED', 'the agent has no registered P-256 key');
    return;
  }
  const own = key.thumbprint === agentKeyThumbprint;
  findings.expect(own, 'VI_AGENT_KEY_MISMATCH', 'l2 delegates to another key than the agent has');
}
