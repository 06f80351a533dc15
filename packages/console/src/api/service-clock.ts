import { type Clock, systemClock } from '@countersign/kernel/clock';

/** Of the second that the header names, half has passed on average. */
const halfSecondMs = 500;

/**
 * The time of the service, which judges by it what is still open: the clock of the reader may be
 * wrong. Theirs is used until an answer has told the difference.
 */
export class ServiceClock {
  readonly #own: Clock;
  #aheadMs = 0;

  constructor(own: Clock = systemClock) {
    this.#own = own;
  }

  now(): number {
    return this.#own() + this.#aheadMs;
  }

  /** Of an answer whose head has just come in: its body may take a while. */
  hear(head: Headers): void {
    const at = Date.parse(head.get('Date') ?? '');
    if (!Number.isNaN(at)) this.#aheadMs = at + halfSecondMs - this.#own();
  }
}
