import { disclosedList } from '../disclosures.js';
import type { JsonObject } from '../json-object.js';
import { type Fulfilled, type Problem, violated } from './constraint.js';

interface AllowList {
  /** What is listed, as the caller reads it: "payee". */
  what: string;
  list: unknown;
  matches: (entry: unknown) => boolean;
}

/**
 * An empty list allows nothing. A list of which the agent discloses no entry is a violation as
 * well: withholding a limit must not count as keeping it.
 */
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
  const detail = `the allow-list for the ${what} discloses no entry; disclose the one used`;
  return { code: 'VI_DISCLOSURE_INCOMPLETE', detail };
}

/** `allowed`, or the name that the text of the specification has for it. */
export function allowedOf(body: JsonObject, specified: string): unknown {
  return 'allowed' in body ? body.allowed : body[specified];
}
