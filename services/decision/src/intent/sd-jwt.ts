import { isRecord } from '@countersign/kernel/is-record';
import { base64urlBytes, base64urlText, digestOf } from './base64url.js';
import { allReferenced, type Disclosure, disclosedMembers, readDisclosure } from './disclosures.js';
import { type JsonObject, readCredentialJson } from './json-object.js';

/** A presented credential: `jwt~disclosure~…~`, without a key binding JWT at the end. */
export interface SdJwt {
  /** The whole presentation, whose hash the next credential of the chain contains. */
  text: string;
  /** The JWT alone, including its signature. */
  jwt: string;
  /** The signing input: header and payload as sent. */
  signed: string;
  signature: Buffer;
  header: JsonObject;
  payload: JsonObject;
  /** Members of the payload that are disclosed selectively. */
  members: JsonObject;
  disclosures: ReadonlyMap<string, Disclosure>;
}

const maxLength = 16 * 1024;
const maxDisclosures = 64;
/** ES256 in JWS: r and s, 32 bytes each. */
const signatureBytes = 64;
/** Headers that would let a sender choose the verification key or change the verification. */
const refusedHeaders = ['crit', 'jwk', 'jku', 'x5u', 'x5c'];

/** Null for a malformed or ambiguous text. */
export function readSdJwt(text: string): SdJwt | null {
  if (text.length > maxLength) return null;
  const [jwt = '', ...rest] = text.split('~');
  if (rest.pop() !== '' || rest.length > maxDisclosures) return null;
  const token = readJwt(jwt);
  // SHA-256 is the default, and the only algorithm that is supported.
  if ((token?.payload._sd_alg ?? 'sha-256') !== 'sha-256') return null;
  const disclosures = readDisclosures(rest);
  if (!token || !disclosures || !allReferenced(token.payload, disclosures)) return null;
  const members = disclosedMembers(token.payload, disclosures);
  return members && { text, jwt, ...token, members, disclosures };
}

function readJwt(jwt: string) {
  const [head = '', body = '', tail = '', ...more] = jwt.split('.');
  const signature = base64urlBytes(tail);
  const header = readPart(head);
  const payload = readPart(body);
  if (!signature || signature.length !== signatureBytes || more.length > 0) return null;
  if (!header || !payload || refusedHeaders.some((name) => name in header)) return null;
  return { signed: `${head}.${body}`, signature, header, payload };
}

function readPart(part: string): JsonObject | null {
  const text = base64urlText(part);
  const value = text === null ? undefined : readCredentialJson(text);
  return isRecord(value) ? value : null;
}

function readDisclosures(texts: readonly string[]): Map<string, Disclosure> | null {
  const disclosures = new Map<string, Disclosure>();
  for (const text of texts) {
    const disclosure = readDisclosure(text);
    const digest = digestOf(text);
    if (!disclosure || disclosures.has(digest)) return null;
    disclosures.set(digest, disclosure);
  }
  return disclosures;
}
