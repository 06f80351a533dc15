import { Fault } from '@countersign/kernel/fault';

/** Runs the work of one key one after the other. */
export class Turns {
  readonly #busy: string;
  /** Of each key, the end of its last work. */
  readonly #last = new Map<string, Promise<void>>();

  /** `busy` is what a caller is told whose turn does not come before its deadline. */
  constructor(busy: string) {
    this.#busy = busy;
  }

  /** The queue is bounded by the deadlines of the calls that wait. */
  run<T>(key: string, deadlineAt: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(() => {
      if (Date.now() < deadlineAt) return work();
      throw new Fault('unavailable', { message: this.#busy });
    });
    const ended = turn.then(nothing, nothing).then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    this.#last.set(key, ended);
    return turn;
  }
}

function nothing(): void {}
