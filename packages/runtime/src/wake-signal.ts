/**
 * Ends a pause early. A wake-up while nobody waits is stored and ends the next wait immediately.
 */
export class WakeSignal {
  #woken = false;
  #resolve: (() => void) | null = null;

  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  /** Discards a stored wake-up. */
  clear(): void {
    this.#woken = false;
  }

  /** Resolves at the next wake-up, or after the timeout. One waiter at a time. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#resolve = null;
    }
    this.#woken = false;
  }
}
