import type { Reason } from '@countersign/sdk';

const freshMs = 3_600_000;

export type KnownReason = Pick<Reason, 'code' | 'description' | 'retry'>;

/** What reason codes mean, as the service publishes it; fetched when it is first needed. */
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
    // A decision is told with its own sentence all the same, and the next one asks again.
    if (reasons === null) return;
    this.#known = new Map(reasons.map((reason) => [reason.code, reason]));
    this.#freshUntil = performance.now() + freshMs;
  }
}

/** A code of a later release, or one that nobody could look up: to be on the safe side. */
const unexplained = { description: 'No explanation is at hand.', retry: 'after_human' } as const;
