import { type Charge, endAll, endingOrder } from './ending.js';
import { rotateLog } from './log-file.js';
import { startReaper } from './reaper.js';
import { Failure } from './screen.js';
import { type Death, type ProcessSpec, SupervisedProcess } from './supervised-process.js';

export interface SupervisorOptions {
  /** Called when any process has a new pid, or none. */
  changed?: () => void;
  died?: (death: Death) => void;
}

/** All processes of one run. None of them is left when it is stopped, or when its process ends. */
export class Supervisor {
  readonly #processes = new Map<string, SupervisedProcess>();
  readonly #adopted = new Map<number, Charge>();
  readonly #reaper = startReaper();
  readonly #options: SupervisorOptions;
  #stopping: Promise<void> | null = null;

  constructor(options: SupervisorOptions = {}) {
    this.#options = options;
  }

  /** Starts a process and waits until it is ready; its name must be unique. */
  async start(spec: ProcessSpec): Promise<SupervisedProcess> {
    if (this.#stopping !== null)
      throw new Failure(`${spec.name} is not started.`, 'The run is being stopped.');
    if (this.#processes.has(spec.name)) throw new Error(`two processes are called ${spec.name}`);
    rotateLog(spec.logFile);
    const supervised = new SupervisedProcess(spec, this.#reaper, {
      changed: () => this.#options.changed?.(),
      died: (death) => this.#options.died?.(death),
    });
    this.#processes.set(spec.name, supervised);
    await supervised.start();
    return supervised;
  }

  get(name: string): SupervisedProcess {
    const supervised = this.#processes.get(name);
    if (!supervised) throw new Error(`no process is called ${name}`);
    return supervised;
  }

  get stopping(): boolean {
    return this.#stopping !== null;
  }

  charges(): Charge[] {
    return [...this.#processes.values()].flatMap(({ charge }) => (charge ? [charge] : []));
  }

  /** Takes over a child that was started elsewhere and must not be restarted. */
  adopt(charge: Charge): void {
    this.#adopted.set(charge.pid, charge);
    this.#reaper.add(charge);
  }

  release(pid: number): void {
    this.#adopted.delete(pid);
    this.#reaper.remove(pid);
  }

  /** In the order of endings. Safe to call twice. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    await endAll([...this.#adopted.values()]);
    for (const kind of endingOrder) {
      const some = [...this.#processes.values()].filter(({ spec }) => spec.kind === kind);
      await Promise.all(some.map((each) => each.stop()));
    }
    // Ends processes that were launched while stopping.
    await endAll(this.charges());
  }
}
