import type { Clock } from '@countersign/kernel/clock';
import type { Pool } from '@countersign/runtime/database';
import { type HealthChecks, runChecks } from '@countersign/runtime/health';
import type { Redis } from '@countersign/runtime/redis';
import type { Clients } from './clients.js';
import { KeptRead } from './kept-read.js';

const readyDeadlineMs = 800;
/**
 * The endpoints are public and not rate limited, so stores and services are asked at most this
 * often.
 */
const freshMs = 1_000;

interface Options {
  pool: Pool;
  redis: Redis;
  clients: Clients;
  clock: Clock;
}

/** `ok`, or what is wrong, for each part. */
type Findings = Record<string, string>;

/** How the parts are on which the gateway depends, as of a second ago at most. */
export class Health {
  readonly #options: Options;
  readonly #vital: KeptRead<Findings>;
  readonly #degrading: KeptRead<Findings>;

  constructor(options: Options) {
    this.#options = options;
    this.#vital = new KeptRead({ clock: options.clock, freshMs });
    this.#degrading = new KeptRead({ clock: options.clock, freshMs });
  }

  /**
   * Readiness follows these. Without them little can be answered: what the gateway remembers of
   * credentials and keys suffices for some requests, but others should go to another replica.
   */
  vital(): Promise<Findings> {
    return this.#vital.get(() => runChecks(vitalChecks(this.#options)));
  }

  /** Without these the gateway still answers, if less well: `degraded`, never `down`. */
  degrading(): Promise<Findings> {
    return this.#degrading.get(() => runChecks(degradingChecks(this.#options)));
  }
}

export function allOk(findings: Findings): boolean {
  return Object.values(findings).every((found) => found === 'ok');
}

export function vitalChecks({ pool }: Pick<Options, 'pool'>): HealthChecks {
  return {
    database: async () => {
      await pool.query('SELECT 1');
    },
  };
}

function degradingChecks({ redis, clients }: Pick<Options, 'redis' | 'clients'>): HealthChecks {
  const services = Object.entries(clients).map(
    ([name, client]) => [name, () => client.ready(readyDeadlineMs)] as const,
  );
  return {
    redis: async () => {
      await redis.ping();
    },
    ...Object.fromEntries(services),
  };
}
