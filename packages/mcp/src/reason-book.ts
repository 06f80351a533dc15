import type { Reason } from '@countersign/sdk';

const freshMs = 3_600_000;

export type KnownReason = Pick<Reason, 'code' | 'description' | 'retry'>;

/** The published explanations of reason codes, fetched on first use. */
export class ReasonBook {
  readonly #fetch: () => Promise<Reason[]>;
  #known: ReadonlyMap<string, Reason> = new Map();
  #freshUntil = 0;

  constructor(fetch: () => Promise<Reason[]>) {
    this.#fetch = fetch;
  }

  async explain(codes: readonly string[]): Promise<KnownReason[]> {
    if (codes.length === 0) return [];
    if (performance.now() >= this.#freshUntil) await this.#refresh();
    return codes.map((code) => {
      const { description, retry } = this.#known.get(code) ?? unexplained;
      return { code, description, retry };
    });
  }

  async #refresh(): Promise<void> {
    const reasons = await this.#fetch().catch(() => null);
    // The decision is reported without them, and the next one fetches again.
    if (reasons === null) return;
    this.#known = new Map(reasons.map((reason) => [reason.code, reason]));
    this.#freshUntil = performance.now() + freshMs;
  }
}

/** For unknown codes and failed look-ups; `after_human` is the cautious assumption. */
const unexplained = { description: 'No explanation is available.', retry: 'after_human' } as const;
