import { isRecord } from '@countersign/kernel/is-record';
import { type KeySet, readKeySet } from './key-set.js';

/** A trusted issuer of root credentials, which bind a user to a key. */
export interface IssuerSettings {
  iss: string;
  /** Accepted types of its credentials. */
  vct: string[];
  /** The keys themselves, or the URL they are fetched from. */
  keys: KeySet | { uri: string };
  subjectBinding: SubjectBinding;
}

/**
 * How a subject of the issuer is bound to a Principal. `explicit`: the operator registers it;
 * `tofu` (trust on first use): the first verified presentation binds it.
 */
export type SubjectBinding = 'explicit' | 'tofu';

const maxIssuers = 100;
/** The same as for texts of a chain: a longer name could never match. */
const maxTextLength = 255;
const members = ['iss', 'vct', 'jwks', 'jwks_uri', 'allowed_algs', 'subject_binding'];

/** Parses VI_TRUSTED_ISSUERS_*. Throws an Error whose message names the faulty issuer. */
export function readIssuers(value: unknown): IssuerSettings[] {
  if (!Array.isArray(value)) throw new Error('must be a JSON list of issuers');
  if (value.length > maxIssuers) throw new Error(`must have at most ${maxIssuers} issuers`);
  const issuers = value.map((item, index) => readIssuer(item, `issuer ${index}`));
  const names = new Set(issuers.map(({ iss }) => iss));
  if (names.size !== issuers.length) throw new Error('must not contain an issuer twice');
  return issuers;
}

function readIssuer(value: unknown, where: string): IssuerSettings {
  if (!isRecord(value)) throw new Error(`${where} must be an object`);
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new Error(`${where}: unknown member ${unknown}`);
  const { iss, vct, allowed_algs: algs = ['ES256'], subject_binding: binding } = value;
  if (!isText(iss)) throw new Error(`${where}: iss must be a string`);
  if (!Array.isArray(vct) || vct.length === 0 || !vct.every(isText)) {
    throw new Error(`${iss}: vct must be a list of credential types`);
  }
  if (!Array.isArray(algs) || algs.join() !== 'ES256') {
    throw new Error(`${iss}: allowed_algs must be ["ES256"]`);
  }
  if (binding !== 'explicit' && binding !== 'tofu') {
    throw new Error(`${iss}: subject_binding must be explicit or tofu`);
  }
  return { iss, vct, keys: readKeys(value, iss), subjectBinding: binding };
}

function readKeys({ jwks, jwks_uri: uri }: Record<string, unknown>, iss: string) {
  if ((jwks === undefined) === (uri === undefined)) {
    throw new Error(`${iss}: needs either jwks or jwks_uri`);
  }
  if (uri !== undefined) {
    if (typeof uri !== 'string' || !URL.canParse(uri) || new URL(uri).protocol !== 'https:') {
      throw new Error(`${iss}: jwks_uri must be an https URL`);
    }
    return { uri };
  }
  const keys = keysOf(jwks, iss);
  if (keys.size === 0) throw new Error(`${iss}: jwks has no P-256 key with a kid`);
  return keys;
}

function keysOf(jwks: unknown, iss: string): KeySet {
  try {
    return readKeySet(jwks);
  } catch (error) {
    throw new Error(`${iss}: jwks: ${(error as Error).message}`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength;
}
