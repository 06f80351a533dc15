import { hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { freshKeyPair } from '../fresh-key-pair.js';

/** A named P-256 key pair, as each party of an intent chain has one. */
export interface ChainKey {
  kid: string;
  jwk: { kty: string; crv: string; x: string; y: string };
  privateKey: KeyObject;
  /** JWK thumbprint as in RFC 7638. */
  thumbprint: string;
}

export function newChainKey(kid: string): ChainKey {
  const { privateKey, publicKey } = freshKeyPair('P-256');
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const thumbprint = digest(JSON.stringify({ crv, kty, x, y }));
  return { kid, jwk: { kty, crv, x, y }, privateKey, thumbprint };
}

/** B64U(SHA-256(ASCII(text))). */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  );
}

export interface Disclosed {
  text: string;
  digest: string;
}

/** A disclosure of an array element, or of an object member if a name is given. */
export function disclosed(value: unknown, name?: string): Disclosed {
  const salt = randomBytes(16).toString('base64url');
  const text = encoded(name === undefined ? [salt, value] : [salt, name, value]);
  return { text, digest: digest(text) };
}

interface Credential {
  header: object;
  payload: object;
  key: ChainKey;
}

/** Overrides for a credential before it is signed, and for its signing. */
export interface Edit {
  /** Members that are undefined are omitted. */
  header?: object;
  payload?: object;
  key?: ChainKey;
}

export function signedJwt({ header, payload, key }: Credential, edit: Edit = {}): string {
  const head = encoded({ ...header, ...edit.header });
  const input = `${head}.${encoded({ ...payload, ...edit.payload })}`;
  const how = { key: (edit.key ?? key).privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), how).toString('base64url')}`;
}

/** A presentation: the JWT and its disclosures. */
export function presented(jwt: string, disclosures: readonly Disclosed[]): string {
  return `${[jwt, ...disclosures.map(({ text }) => text)].join('~')}~`;
}

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The same presentation with the other signature that verifies as well: (r, n - s). */
export function malleated(presentation: string): string {
  const [jwt = '', ...rest] = presentation.split('~');
  const [head, body, tail = ''] = jwt.split('.');
  const signature = Buffer.from(tail, 'base64url');
  const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
  const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
  const spelled = Buffer.concat([signature.subarray(0, 32), other]).toString('base64url');
  return [`${head}.${body}.${spelled}`, ...rest].join('~');
}
