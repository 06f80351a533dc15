/** A line of a checkout mandate. */
export interface Line {
  /** Ids of the acceptable products, as far as they are disclosed. */
  products: ReadonlySet<string>;
  /** An empty list accepts any product. */
  isWildcard: boolean;
  /** How many items of these products altogether. */
  quantity: number;
}

/**
 * Whether every item of the cart can be assigned to a line that accepts it, without exceeding the
 * quantity of any line. Limits per product alone would not do: a line for one racket of either of
 * two models must not pay for one of each.
 */
export function isAssignable(lines: readonly Line[], cart: ReadonlyMap<string, number>): boolean {
  const assignment = new Assignment(lines, [...cart.keys()]);
  for (const [product, quantity] of cart) {
    let rest = quantity;
    while (rest > 0) {
      const assigned = assignment.extend(product, rest);
      if (assigned === 0) return false;
      rest -= assigned;
    }
  }
  return true;
}

/**
 * A step of an augmenting path: `product` goes to line `to`, from line `from` or from the cart.
 */
interface Step {
  product: string;
  from: number | null;
  to: number;
}

/** A maximum flow from products to lines, extended along shortest augmenting paths. */
class Assignment {
  /** For each product the lines that accept it. */
  readonly #linesOf: ReadonlyMap<string, number[]>;
  readonly #free: number[];
  /** For each line the items assigned to it, by product. */
  readonly #items: Array<Map<string, number>>;

  constructor(lines: readonly Line[], products: readonly string[]) {
    this.#linesOf = new Map(products.map((product) => [product, acceptingLines(lines, product)]));
    this.#free = lines.map(({ quantity }) => quantity);
    this.#items = lines.map(() => new Map());
  }

  /** Assigns up to `most` items of the product. Returns how many, 0 if no line has room. */
  extend(product: string, most: number): number {
    const path = this.#path(product);
    const last = path.at(-1);
    if (!last) return 0;
    let count = Math.min(most, this.#free[last.to] ?? 0);
    for (const step of path) {
      if (step.from !== null) count = Math.min(count, this.#countOf(step.from, step.product));
    }
    for (const { product: moved, from, to } of path) {
      if (from !== null) this.#items[from]?.set(moved, this.#countOf(from, moved) - count);
      this.#items[to]?.set(moved, this.#countOf(to, moved) + count);
    }
    this.#free[last.to] = (this.#free[last.to] ?? 0) - count;
    return count;
  }

  #countOf(line: number, product: string): number {
    return this.#items[line]?.get(product) ?? 0;
  }

  #productsIn(line: number): string[] {
    const items = this.#items[line] ?? new Map<string, number>();
    return [...items.keys()].filter((product) => this.#countOf(line, product) > 0);
  }

  /** The shortest chain of moves that makes room for the product; empty if there is none. */
  #path(product: string): Step[] {
    const steps = new Map<number, Step>();
    const sources = new Map<string, number | null>([[product, null]]);
    for (const [next, from] of sources) {
      const reached = (this.#linesOf.get(next) ?? []).filter((to) => !steps.has(to));
      for (const to of reached) steps.set(to, { product: next, from, to });
      const end = reached.find((to) => (this.#free[to] ?? 0) > 0);
      if (end !== undefined) return pathTo(end, steps);
      for (const to of reached) {
        for (const other of this.#productsIn(to)) if (!sources.has(other)) sources.set(other, to);
      }
    }
    return [];
  }
}

function acceptingLines(lines: readonly Line[], product: string): number[] {
  return lines.flatMap(({ products, isWildcard }, at) =>
    isWildcard || products.has(product) ? at : [],
  );
}

function pathTo(end: number, steps: ReadonlyMap<number, Step>): Step[] {
  const path: Step[] = [];
  for (let at: number | null = end; at !== null; ) {
    const step = steps.get(at);
    if (!step) break;
    path.unshift(step);
    at = step.from;
  }
  return path;
}
