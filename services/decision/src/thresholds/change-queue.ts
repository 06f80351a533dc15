import { Fault } from '@countersign/kernel/fault';

/**
 * Runs the changes of each Principal one after the other. In the database they would wait for each
 * other too, but each with a connection, and the payments of all Principals need those.
 */
export class ChangeQueue {
  /** Of each Principal, the end of its last change. */
  readonly #last = new Map<string, Promise<void>>();

  /** The queue is bounded by the deadlines of the calls that wait. */
  run<T>(principalId: string, deadlineAt: number, change: () => Promise<T>): Promise<T> {
    const before = this.#last.get(principalId) ?? Promise.resolve();
    const turn = before.then(() => {
      if (Date.now() < deadlineAt) return change();
      throw new Fault('unavailable', {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The thresholds are being changed by others; try again.',
      });
    });
    const ended = turn.then(nothing, nothing).then(() => {
      if (this.#last.get(principalId) === ended) this.#last.delete(principalId);
    });
    this.#last.set(principalId, ended);
    return turn;
  }
}

function nothing(): void {}
