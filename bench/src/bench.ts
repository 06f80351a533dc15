import { type Grown, growRecords } from './grown.js';
import type { Lab } from './lab.js';
import { startAltSql, startFloor } from './opponents.js';
import { type Product, startProduct } from './product.js';
import { interleave, type Round } from './rounds.js';
import { spreadOf } from './spread.js';
import type { Subject } from './subject.js';

export interface BenchOptions {
  /** Number of rounds of each comparison. */
  rounds: number;
  /** 1 measures growth at the sizes in the table; smaller values at proportionally smaller ones. */
  scale: number;
  warmAfter: number;
}

export interface Contest {
  product: Round[];
  altSql: Round[];
  floor: Round[];
}

/** State shared by rows: started and measured once, when the first row asks for it. */
export class Bench {
  readonly lab: Lab;
  readonly options: BenchOptions;
  /** CPU microseconds of one authorize by subject and process; empty before the contest. */
  cpuByProcess: Record<string, Record<string, number>> = {};
  readonly #shared = new Map<string, Promise<unknown>>();

  constructor(lab: Lab, options: BenchOptions) {
    this.lab = lab;
    this.options = options;
  }

  product(): Promise<Product> {
    return this.#once('product', () => startProduct());
  }

  altSql(): Promise<Subject> {
    return this.#once('alt-sql', () => startAltSql(this.lab));
  }

  floor(): Promise<Subject> {
    return this.#once('floor-stream', () => startFloor(this.lab, 'stream'));
  }

  /** Compares the product, the alternative and the floor in the same rounds. */
  contest(): Promise<Contest> {
    return this.#once('contest', async () => {
      const subjects = [await this.product(), await this.altSql(), await this.floor()];
      const contestants = subjects.map((subject) => ({ subject }));
      const [product = [], altSql = [], floor = []] = await interleave(
        this.lab,
        contestants,
        this.options.rounds,
      );
      for (const rounds of [product, altSql, floor]) {
        const name = rounds[0]?.subject ?? '';
        this.cpuByProcess[name] = mediansByProcess(rounds);
      }
      return { product, altSql, floor };
    });
  }

  /** Requests per second at which the product is saturated. */
  peak(): Promise<number> {
    return this.#once('peak', async () => {
      const [rounds = []] = await interleave(this.lab, [{ subject: await this.product() }], 2);
      return Math.max(...rounds.map(({ perSecond }) => perSecond));
    });
  }

  /** Installations with few and with many recorded authorizations. */
  grown(): Promise<Grown> {
    return this.#once('grown', () => growRecords(this.lab, this.options.scale));
  }

  /** Ends what rows share; each row ends what it starts itself. */
  async stop(): Promise<void> {
    const started = async (name: string): Promise<unknown> => this.#shared.get(name);
    // A product that failed to start has ended itself, and the row reported why.
    const product = (await started('product').catch(() => undefined)) as Product | undefined;
    const grown = (await started('grown').catch(() => undefined)) as Grown | undefined;
    await product?.stack.stop();
    await grown?.small.stack.stop();
    await grown?.large.stack.stop();
  }

  #once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#shared.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#shared.set(name, made);
    return made;
  }
}

function mediansByProcess(rounds: readonly Round[]): Record<string, number> {
  const names = Object.keys(rounds[0]?.cpuMicrosByProcess ?? {});
  const median = (name: string): number =>
    spreadOf(rounds.map((round) => round.cpuMicrosByProcess[name] ?? 0)).median;
  return Object.fromEntries(names.map((name) => [name, median(name)]));
}

/** Fails if too many decisions were not the approval that every request of the load should get. */
export function assertApproved(rounds: readonly Round[]): void {
  for (const { subject, load } of rounds) {
    const missing = load.completed - load.approved + load.lost;
    if (missing <= load.completed * maxUnapprovedShare) continue;
    throw new Error(`${subject}: ${missing} of ${load.completed} were not approved`);
  }
}

/** On a busy machine some decisions miss their deadline and fail safe. */
const maxUnapprovedShare = 0.02;
