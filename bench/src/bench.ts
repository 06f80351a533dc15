import { type Grown, growRecords } from './grown.js';
import type { Lab } from './lab.js';
import { startAltSql, startFloor } from './opponents.js';
import { type Product, startProduct } from './product.js';
import { interleave, type Round } from './rounds.js';
import { spreadOf } from './spread.js';
import type { Subject } from './subject.js';

export interface BenchOptions {
  /** Rounds of everything that is compared. */
  rounds: number;
  /** 1 measures growth at the sizes of the table; less at as much less. */
  scale: number;
  warmAfter: number;
}

export interface Contest {
  product: Round[];
  altSql: Round[];
  floor: Round[];
}

/** What rows share: started and measured when the first row asks for it, and once. */
export class Bench {
  readonly lab: Lab;
  readonly options: BenchOptions;
  /** Of one authorize of each subject of the contest, microseconds; empty before it. */
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

  /** The product, its opponent and the floor, in the same rounds. */
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

  /** Requests a second at which the product is saturated. */
  peak(): Promise<number> {
    return this.#once('peak', async () => {
      const [rounds = []] = await interleave(this.lab, [{ subject: await this.product() }], 2);
      return Math.max(...rounds.map(({ perSecond }) => perSecond));
    });
  }

  /** Installations with few and with many authorizations on record. */
  grown(): Promise<Grown> {
    return this.#once('grown', () => growRecords(this.lab, this.options.scale));
  }

  /** Ends what rows shared; what a row starts for itself it ends itself. */
  async stop(): Promise<void> {
    const started = async (name: string): Promise<unknown> => this.#shared.get(name);
    // What did not come up ended itself, and the row that asked for it has told why.
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

/** How many decisions were not the approval that every request of a load should get. */
export function assertApproved(rounds: readonly Round[]): void {
  for (const { subject, load } of rounds) {
    const missing = load.completed - load.approved + load.lost;
    if (missing <= load.completed * maxUnapprovedShare) continue;
    throw new Error(`${subject}: ${missing} of ${load.completed} were not approved`);
  }
}

/** On a machine that is busy with other things some decisions miss their deadline and fail safe. */
const maxUnapprovedShare = 0.02;
