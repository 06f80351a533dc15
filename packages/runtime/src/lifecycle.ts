import type { Logger } from './log.js';

/** Everything a process has opened must be closed within this time after the signal. */
const shutdownCapMs = 10_000;

type Closer = () => Promise<void> | void;

/**
 * What was opened, in order; closed in reverse, so that what takes work in stops first and the
 * stores it needs to finish that work are the last to go.
 */
export class Lifecycle {
  readonly #closers: Array<{ name: string; close: Closer }> = [];
  readonly #log: Logger;
  #ending: Promise<void> | null = null;
  /** False from the first moment of a shutdown: readiness follows it. */
  accepting = true;

  constructor(log: Logger) {
    this.#log = log;
  }

  onShutdown(name: string, close: Closer): void {
    this.#closers.push({ name, close });
  }

  /** Safe to call twice; the second call waits for the first. */
  shutdown(noticeMs = 0): Promise<void> {
    this.#ending ??= this.#closeAll(noticeMs);
    return this.#ending;
  }

  async #closeAll(noticeMs: number): Promise<void> {
    this.accepting = false;
    if (noticeMs > 0) await new Promise((resolve) => setTimeout(resolve, noticeMs));
    for (const { name, close } of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        this.#log.error({ err: error, part: name }, 'could not close a part cleanly');
      }
    }
  }
}

export interface ProcessOptions {
  log: Logger;
  noticeMs: number;
  start: (lifecycle: Lifecycle) => Promise<void>;
}

/** Runs a service until SIGTERM or SIGINT, then shuts it down within the cap (R10). */
export async function runProcess({ log, noticeMs, start }: ProcessOptions): Promise<void> {
  const lifecycle = new Lifecycle(log);
  const end = (reason: string, code: number): void => {
    log.info({ reason }, 'shutting down');
    // A part that hangs must not keep the process: the stores survive a kill, a stuck pod does not.
    setTimeout(() => process.exit(1), shutdownCapMs + noticeMs).unref();
    void lifecycle.shutdown(noticeMs).then(() => process.exit(code));
  };
  process.once('SIGTERM', () => end('SIGTERM', 0));
  process.once('SIGINT', () => end('SIGINT', 0));
  try {
    await start(lifecycle);
  } catch (error) {
    log.fatal({ err: error }, 'could not start');
    end('start failed', 1);
  }
}
