import { didPattern } from '@countersign/kernel/did';
import { invalidField } from '@countersign/kernel/fault';
import { decodeDidKey } from './did-key.js';

const maxLength = 2_048;

/**
 * The method of a caller's DID. A did:key must encode a supported key; DIDs of other methods are
 * accepted without being resolved. Throws 422 on `did`.
 */
export function didMethod(did: string): string {
  const method = did.length <= maxLength ? didPattern.exec(did)?.[1] : undefined;
  if (!method) throw invalidField('did', 'invalid_did', 'did is not a W3C DID.');
  if (method === 'key' && decodeDidKey(did) === null) {
    throw invalidField(
      'did',
      'invalid_did',
      'did:key must be the base58btc form of an Ed25519 or P-256 public key.',
    );
  }
  return method;
}
