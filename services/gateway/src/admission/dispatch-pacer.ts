interface DispatchPacerOptions {
  /** Monotonic time in milliseconds. */
  now?: () => number;
  /** Calls back after so many milliseconds, or at the end of this turn of the event loop for 0. */
  later?: (work: () => void, ms: number) => void;
}

/** Milliseconds between two dispatches for each authorization in flight. */
const msPerInFlight = 0.25;
/** The added wait must stay small compared with the time an answer takes anyway. */
const maxIntervalMs = 32;

/**
 * Dispatches authorizations in groups. A request that crosses four processes alone costs about
 * twice what it costs in a group of sixteen, because every process has gone idle in between and
 * nothing is shared. So the interval between dispatches grows with the number in flight: a single
 * request never waits, and under load the groups get larger and each request cheaper.
 */
export class DispatchPacer {
  readonly #now: () => number;
  readonly #later: (work: () => void, ms: number) => void;
  #waiting: Array<() => void> = [];
  #nextAt = 0;

  constructor({ now = () => performance.now(), later = afterMs }: DispatchPacerOptions = {}) {
    this.#now = now;
    this.#later = later;
  }

  /** Resolves with the next dispatch; `inFlight` counts this request and all not answered yet. */
  next(inFlight: number): Promise<void> {
    return new Promise((dispatch) => {
      if (this.#waiting.push(dispatch) > 1) return;
      const waitMs = Math.max(0, this.#nextAt - this.#now());
      this.#later(() => this.#dispatchAll(inFlight), waitMs);
    });
  }

  #dispatchAll(inFlight: number): void {
    this.#nextAt = this.#now() + Math.min(maxIntervalMs, inFlight * msPerInFlight);
    const group = this.#waiting;
    this.#waiting = [];
    for (const dispatch of group) dispatch();
  }
}

function afterMs(work: () => void, ms: number): void {
  if (ms > 0) setTimeout(work, ms);
  else setImmediate(work);
}
