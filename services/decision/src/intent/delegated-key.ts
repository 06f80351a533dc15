import { isRecord } from '@countersign/kernel/is-record';
import type { Examination } from './examination.js';
import { isText } from './json-object.js';
import type { Mandate } from './mandates.js';
import { type P256Key, readP256Key } from './p256-key.js';

/** The key that the user delegates to, and the `kid` by which L3 must refer to it. */
export interface AgentKey {
  key: P256Key;
  kid: string | null;
}

/**
 * The key that all disclosed mandates delegate to; null if there is none. With different keys, an
 * agent could fulfil part of what was delegated to another agent.
 */
export function delegatedKey(mandates: Mandate[], { findings }: Examination): AgentKey | null {
  const keys = mandates.map(({ body }) => readConfirmation(body.cnf));
  const [first, ...others] = keys;
  if (!first) {
    findings.add('VI_BINDING_INVALID', 'a mandate of l2 has no P-256 key in cnf.jwk');
    return null;
  }
  const same = others.every(
    (other) => other?.key.thumbprint === first.key.thumbprint && other.kid === first.kid,
  );
  const detail = 'the mandates of l2 delegate to different keys';
  return findings.expect(same, 'VI_BINDING_INVALID', detail) ? first : null;
}

/** The reference implementation has `kid` in the JWK, the specification beside it. */
function readConfirmation(cnf: unknown): AgentKey | null {
  if (!isRecord(cnf) || !isRecord(cnf.jwk)) return null;
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
  const detail = "l2 delegates to a key other than the agent's registered key";
  findings.expect(own, 'VI_AGENT_KEY_MISMATCH', detail);
}
