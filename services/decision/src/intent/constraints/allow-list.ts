import { disclosedList } from '../disclosures.js';
import type { JsonObject } from '../json-object.js';
import { type Fulfilled, type Problem, violated } from './constraint.js';

interface AllowList {
  /** What is listed, for the detail of a finding, such as "payee". */
  what: string;
  list: unknown;
  matches: (entry: unknown) => boolean;
}

/** An empty list allows nothing, and so does one with no entry disclosed: it cannot be checked. */
export function allowListProblem(
  { what, list, matches }: AllowList,
  { disclosures }: Fulfilled,
): Problem | null {
  if (!Array.isArray(list) || list.length === 0) {
    return violated(`the allow-list for the ${what} is empty`);
  }
  const { entries } = disclosedList(list, disclosures);
  if (entries.some(matches)) return null;
  if (entries.length > 0) return violated(`the ${what} is not in the allow-list`);
  const detail = `no entry of the allow-list for the ${what} is disclosed; disclose the one used`;
  return { code: 'VI_DISCLOSURE_INCOMPLETE', detail };
}

/** The reference implementation names the member `allowed`, the specification otherwise. */
export function allowedOf(body: JsonObject, specified: string): unknown {
  return 'allowed' in body ? body.allowed : body[specified];
}
