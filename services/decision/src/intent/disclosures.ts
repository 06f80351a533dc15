import { isRecord } from '@countersign/kernel/is-record';
import { base64urlText, isDigest } from './base64url.js';
import { type JsonObject, readCredentialJson } from './json-object.js';

/** A disclosed element of an array, or a disclosed member of an object with its name. */
export interface Disclosure {
  name: string | null;
  value: unknown;
  /** False if members inside it are withheld: one of them may be a limit. */
  isWhole: boolean;
}

export type Disclosures = ReadonlyMap<string, Disclosure>;

const reservedNames = ['_sd', '_sd_alg', '...'];

/** `[salt, value]` or `[salt, name, value]`. */
export function readDisclosure(text: string): Disclosure | null {
  const json = base64urlText(text);
  const parts = json === null ? undefined : readCredentialJson(json);
  if (!Array.isArray(parts) || parts.length < 2 || parts.length > 3) return null;
  const [salt, ...rest] = parts as unknown[];
  if (typeof salt !== 'string') return null;
  const value = rest.at(-1);
  const name = rest.length === 1 ? null : rest[0];
  if (name !== null && (typeof name !== 'string' || reservedNames.includes(name))) return null;
  return { name, value, isWhole: !hidesMembers(value) };
}

/** The digest in place of a withheld array element; null for an element that is present. */
export function referenceOf(element: unknown): string | null {
  if (!isRecord(element)) return null;
  const digest = element['...'];
  return Object.keys(element).length === 1 && isDigest(digest) ? digest : null;
}

/**
 * Whether every disclosure is referenced by the payload, directly or through another disclosure.
 * In this profile a digest may be in `_sd` and in an array, and in several arrays, which RFC 9901
 * forbids; only one `_sd` must not have the same digest twice.
 */
export function allReferenced(payload: JsonObject, disclosures: Disclosures): boolean {
  const reached = new Set<string>();
  const open: unknown[] = [payload];
  while (open.length > 0) {
    const digests = digestsIn(open.pop());
    if (!digests) return false;
    for (const digest of digests) {
      const disclosure = disclosures.get(digest);
      if (!disclosure || reached.has(digest)) continue;
      reached.add(digest);
      open.push(disclosure.value);
    }
  }
  return reached.size === disclosures.size;
}

/** Undefined if an `_sd` is not a list of distinct digests. */
function digestsIn(root: unknown): string[] | undefined {
  const digests: string[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const reference = referenceOf(value);
    if (reference !== null) digests.push(reference);
    if (isRecord(value) && '_sd' in value) {
      if (!isDigestList(value._sd)) return undefined;
      digests.push(...value._sd);
    }
    open.push(...Object.values(value));
  }
  return digests;
}

function isDigestList(value: unknown): value is string[] {
  if (!Array.isArray(value) || !value.every(isDigest)) return false;
  return new Set(value).size === value.length;
}

/**
 * The members of the payload itself that are disclosed; null if one has the name of another member,
 * so that it would be unclear which of them counts.
 */
export function disclosedMembers(payload: JsonObject, disclosures: Disclosures): JsonObject | null {
  const members = new Map<string, unknown>();
  for (const digest of isDigestList(payload._sd) ? payload._sd : []) {
    const { name, value } = disclosures.get(digest) ?? { name: null };
    if (name === null) continue;
    if (members.has(name) || Object.hasOwn(payload, name)) return null;
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

interface DisclosedList {
  entries: unknown[];
  /** How many elements were withheld. */
  withheld: number;
}

/** Replaces references by their disclosures; one that is not whole counts as withheld. */
export function disclosedList(list: readonly unknown[], disclosures: Disclosures): DisclosedList {
  const entries: unknown[] = [];
  let withheld = 0;
  for (const element of list) {
    const digest = referenceOf(element);
    const disclosure = digest === null ? undefined : disclosures.get(digest);
    if (digest === null) entries.push(element);
    else if (disclosure?.name === null && disclosure.isWhole) entries.push(disclosure.value);
    else withheld += 1;
  }
  return { entries, withheld };
}

function hidesMembers(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (isRecord(next) && '_sd' in next) return true;
    open.push(...Object.values(next));
  }
  return false;
}
