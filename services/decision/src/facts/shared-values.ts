import { BoundedMap } from '@countersign/runtime/bounded-map';

/** Far more than there are statuses, currencies and usual limits. */
const maxShared = 10_000;
/** Longer texts and lists are rarely equal, and would make the tables large. */
const maxTextLength = 64;
const maxListed = 20;
/** Of the JSON of a list. */
const maxListLength = 128;
const nothing: string[] = [];

/**
 * Keeps one copy of each text and list that many agents have in common. Each answer of identity
 * brings its own `"ACTIVE"` and `["USA", "GBR"]`, and tens of thousands of agents are cached.
 */
export class SharedValues {
  readonly #texts = new BoundedMap<string, string>(maxShared);
  readonly #lists = new BoundedMap<string, string[]>(maxShared);

  text(value: string): string {
    return value.length > maxTextLength ? value : kept(this.#texts, value, value);
  }

  /** Null for an absent one. */
  optionalText(value: string | undefined): string | null {
    return value === undefined ? null : this.text(value);
  }

  /** The list may be another agent's too, so nobody may change it. */
  list(values: string[]): string[] {
    if (values.length === 0) return nothing;
    if (values.length > maxListed) return values;
    const key = JSON.stringify(values);
    return key.length > maxListLength ? values : kept(this.#lists, key, values);
  }
}

function kept<V>(known: BoundedMap<string, V>, key: string, value: V): V {
  const first = known.get(key);
  if (first === undefined) known.set(key, value);
  return first ?? value;
}
