export interface CompanyOptions {
  /** Milliseconds of any steady clock. */
  now?: () => number;
  /** Calls back after so many milliseconds, or within this turn of the event loop for 0. */
  later?: (work: () => void, ms: number) => void;
}

/** Milliseconds between two departures for each authorization that is under way. */
const msEach = 0.5;
/** What is paid for sharing must stay small beside the answer itself. */
const mostMs = 64;

/**
 * Lets authorizations set out in company. One that travels alone through four processes finds each
 * of them cold, and costs twice what it costs among fifteen others. So departures are kept apart,
 * by more the more is under way: who is alone sets out at once, and a service that falls behind
 * works in larger groups, and so for less.
 */
export class Company {
  readonly #now: () => number;
  readonly #later: (work: () => void, ms: number) => void;
  #waiting: Array<() => void> = [];
  #nextAt = 0;

  constructor({ now = () => performance.now(), later = afterMs }: CompanyOptions = {}) {
    this.#now = now;
    this.#later = later;
  }

  /** Resolves with the next departure; `underWay` counts those that have not arrived, and this. */
  join(underWay: number): Promise<void> {
    return new Promise((setOut) => {
      if (this.#waiting.push(setOut) > 1) return;
      const waitMs = Math.max(0, this.#nextAt - this.#now());
      this.#later(() => this.#depart(underWay), waitMs);
    });
  }

  #depart(underWay: number): void {
    this.#nextAt = this.#now() + Math.min(mostMs, underWay * msEach);
    const all = this.#waiting;
    this.#waiting = [];
    for (const setOut of all) setOut();
  }
}

function afterMs(work: () => void, ms: number): void {
  if (ms > 0) setTimeout(work, ms);
  else setImmediate(work);
}
