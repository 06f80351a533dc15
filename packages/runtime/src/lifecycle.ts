import { createLog, type Logger } from './log.js';
import type { processSettings } from './process-settings.js';
import type { Settings } from './settings.js';

/** Time after the signal within which everything must be closed. */
const shutdownCapMs = 10_000;
const endSignals = ['SIGTERM', 'SIGINT'] as const;

type Closer = () => Promise<void> | void;

/**
 * Resources are closed in the reverse order of opening: what accepts work stops first, and the
 * stores needed to finish that work close last.
 */
export class Lifecycle {
  readonly #closers: Array<{ name: string; close: Closer }> = [];
  readonly #log: Logger;
  #ending: Promise<void> | null = null;
  /** False as soon as a shutdown begins; readiness follows it. */
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
        this.#log.error({ err: error, part: name }, 'component did not close cleanly');
      }
    }
  }
}

interface ProcessOptions {
  log: Logger;
  noticeMs: number;
  start: (lifecycle: Lifecycle) => Promise<void>;
}

/** Runs a service until SIGTERM or SIGINT, then shuts it down within the cap (R10). */
export async function runProcess({ log, noticeMs, start }: ProcessOptions): Promise<void> {
  const lifecycle = new Lifecycle(log);
  const end = (reason: string, { code, waitMs }: { code: number; waitMs: number }): void => {
    log.info({ reason }, 'shutting down');
    // A component that hangs must not keep the process alive: a kill does the stores no harm, but a
    // stuck pod blocks a rollout.
    setTimeout(() => process.exit(1), shutdownCapMs + waitMs).unref();
    void lifecycle.shutdown(waitMs).then(() => process.exit(code));
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    // Without a listener the next signal, of either name, ends the process.
    for (const name of endSignals) process.off(name, onSignal);
    end(signal, { code: 0, waitMs: noticeMs });
  };
  for (const name of endSignals) process.on(name, onSignal);
  try {
    await start(lifecycle);
  } catch (error) {
    log.fatal({ err: error }, 'could not start');
    // It has taken no work, so nobody has to notice that it ends.
    end('start failed', { code: 1, waitMs: 0 });
  }
}

/** The parts of a service, in the order in which they are made. */
interface Rooms<Config, Context> {
  loadConfig: (env: NodeJS.ProcessEnv) => Config;
  createContext: (config: Config, given: Given) => Promise<Context>;
  /** Resolves to the ports that it listens on. */
  startServer: (context: Context) => Promise<object>;
}

interface Given {
  log: Logger;
  lifecycle: Lifecycle;
}

/** Runs a service with the settings of the environment until it is told to end. */
export async function runService<Config extends Settings<typeof processSettings>, Context>(
  service: string,
  { loadConfig, createContext, startServer }: Rooms<Config, Context>,
): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLog({ service, level: config.logLevel });
  await runProcess({
    log,
    noticeMs: config.shutdownNoticeMs,
    start: async (lifecycle) => {
      const ports = await startServer(await createContext(config, { log, lifecycle }));
      log.info(ports, `${service} is listening`);
    },
  });
}
