export interface LoopOptions {
  /** Resolves to whether there may be more to do at once. */
  turn: () => Promise<boolean>;
  pauseMs: number;
  failed: (error: unknown) => void;
}

/** Takes turns until it is stopped, with a pause after each that found nothing more or failed. */
export class Loop {
  readonly #options: LoopOptions;
  #stopped = false;
  #woken = false;
  #wakeUp: () => void = () => {};
  readonly #running: Promise<void>;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Ends the pause. */
  wake(): void {
    this.#woken = true;
    this.#wakeUp();
  }

  /** Resolves when the turn under way has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeUp();
    return this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false;
      const more = await this.#options.turn().catch((error: unknown) => {
        this.#options.failed(error);
        return false;
      });
      if (!more && !this.#woken && !this.#stopped) await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pauseMs);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
