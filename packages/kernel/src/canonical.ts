import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 (JCS) text of a JSON value; members that are undefined are omitted. */
export function canonicalJson(value: unknown): string {
  const text = spelled(value, plainDepth) ?? canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** Deeper values, circular ones included, are left to the library. */
const plainDepth = 64;

/**
 * The same text as the library's for ordinary JSON values, at a third of the cost; undefined for
 * anything unusual, which the library then handles.
 */
function spelled(value: unknown, levels: number): string | undefined {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object' || levels === 0) return undefined;
  if (hasOwnForm(value)) return spelled(value.toJSON(), levels - 1);
  return Array.isArray(value) ? spelledArray(value, levels - 1) : spelledObject(value, levels - 1);
}

function spelledObject(value: object, levels: number): string | undefined {
  let text = '';
  for (const name of inOrder(Object.keys(value))) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    const memberText = spelled(member, levels);
    if (memberText === undefined) return undefined;
    text += `${text === '' ? '{' : ','}${quoted(name)}:${memberText}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

function spelledArray(items: readonly unknown[], levels: number): string | undefined {
  let text = '';
  // By index, because iteration with a callback would skip a hole.
  for (let index = 0; index < items.length; index += 1) {
    const itemText = spelled(items[index], levels);
    if (itemText === undefined) return undefined;
    text += index === 0 ? itemText : `,${itemText}`;
  }
  return `[${text}]`;
}

function hasOwnForm(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

/**
 * Text without anything that JSON escapes. Surrogates are excluded, because one may be unpaired.
 */
const plainText = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

function quoted(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * Sorted by UTF-16 code units, as the RFC requires; the few keys of an object are often in order
 * already.
 */
function inOrder(names: string[]): string[] {
  return names.length > 32 ? names.sort() : insertionSorted(names);
}

function insertionSorted(names: string[]): string[] {
  for (let next = 1; next < names.length; next += 1) {
    const name = names[next] as string;
    let at = next;
    for (; at > 0 && (names[at - 1] as string) > name; at -= 1) names[at] = names[at - 1] as string;
    names[at] = name;
  }
  return names;
}

/** SHA-256 over the canonical JSON, in hex: equal for semantically equal values. */
export function canonicalHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
