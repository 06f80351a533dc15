import { BoundedMap } from '@countersign/runtime/bounded-map';

/** Far more than there are statuses, currencies and usual limits. */
const maxShared = 10_000;
/** Longer texts and lists are rarely equal, and would make the tables large. */
const maxLength = 64;
const maxListed = 20;
const nothing: string[] = [];

/**
 * Keeps one copy of each text and list that many agents have in common. Each answer of identity
 * brings its own `"ACTIVE"` and `["USA", "GBR"]`, and tens of thousands of agents are cached.
 */
export class SharedValues {
  readonly #texts = new BoundedMap<string, string>(maxShared);
  readonly #lists = new BoundedMap<string, string[]>(maxShared);

  text(value: string): string {
    if (value.length > maxLength) return value;
    const known = this.#texts.get(value);
    if (known === undefined) this.#texts.set(value, value);
    return known ?? value;
  }

  /** The list may be another agent's too, so nobody may change it. */
  list(values: string[]): string[] {
    if (values.length === 0) return nothing;
    if (values.length > maxListed) return values;
    const key = JSON.stringify(values);
    if (key.length > maxLength * 2) return values;
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.set(key, values);
    return known ?? values;
  }
}
