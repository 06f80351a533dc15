/** A sequence number is drawn at most this long before its row becomes visible. */
const latestCommitMs = 2_000;
/** How often the whole queue is read, for rows that became visible even later. */
const wholeLookEveryMs = 5_000;

/**
 * The sequence number to read the queue from, or its part from `start` on. The index keeps dead
 * entries of removed rows for a while, and a read from its very start would step over all of them.
 * So reads begin where those of the last seconds began, and every few seconds at the very start.
 */
export class Front {
  readonly #start: string;
  readonly #now: () => number;
  #seen: Array<{ seq: string; at: number }> = [];
  #wholeAt = 0;

  /** `now` is monotonic, in milliseconds. */
  constructor(start = '0', now = () => performance.now()) {
    this.#start = start;
    this.#now = now;
  }

  from(): string {
    const now = this.#now();
    if (now >= this.#wholeAt) {
      this.#wholeAt = now + wholeLookEveryMs;
      return this.#start;
    }
    // The newest read that is old enough: everything before its first row is published by now.
    while ((this.#seen[1]?.at ?? now) < now - latestCommitMs) this.#seen.shift();
    return this.#seen[0]?.seq ?? this.#start;
  }

  saw(seq: string): void {
    // A row before the front was committed late or is published again, and more may follow.
    if (BigInt(seq) < BigInt(this.#seen[0]?.seq ?? seq)) this.#seen = [];
    this.#seen.push({ seq, at: this.#now() });
  }
}
