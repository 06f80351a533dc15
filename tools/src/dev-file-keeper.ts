import { rmSync } from 'node:fs';
import type { Environment } from '@countersign/kernel/environment';
import type { BackingServer } from './backing/find.js';
import type { Seed } from './demo-client.js';
import type { DevFile, EnvironmentKeys } from './dev-file.js';
import { writeSecretJson } from './json-file.js';
import type { ServicePlan } from './service-environment.js';
import { type ServiceName, serviceNames } from './services.js';
import type { Supervisor } from './supervisor.js';

/** Facts that do not change during a run. */
export interface RunFacts {
  plan: ServicePlan;
  internalUrl: string;
  seed: Seed;
  backing: { postgres: BackingServer | null; redis: BackingServer; nats: BackingServer };
}

/** Keeps dev.json up to date from the moment a run is ready until it stops. */
export class DevFileKeeper {
  readonly #file: string;
  #facts: RunFacts | null = null;
  #closed = false;

  /** Without what a run that was killed has left. */
  constructor(file: string) {
    this.#file = file;
    this.#remove();
  }

  /** A run that was asked to stop while it became ready is not opened any more. */
  open(facts: RunFacts, supervisor: Supervisor): void {
    if (this.#closed) return;
    this.#facts = facts;
    this.write(supervisor);
  }

  /** Called when any pid changes; nothing is written before all processes are ready. */
  write(supervisor: Supervisor): void {
    if (this.#facts) writeSecretJson(this.#file, contentOf(this.#facts, supervisor));
  }

  close(): void {
    this.#closed = true;
    this.#facts = null;
    this.#remove();
  }

  #remove(): void {
    rmSync(this.#file, { force: true });
  }
}

function contentOf(
  { plan, internalUrl, seed, backing }: RunFacts,
  supervisor: Supervisor,
): DevFile {
  const pids = serviceNames.map((name) => [name, supervisor.get(name).pid]);
  const server = (found: BackingServer) => ({ pid: found.process?.pid ?? null, url: found.url });
  // Without a PostgreSQL of this run each database has its own URL; the gateway's is shown.
  const database = plan.databases.find(({ service }) => service === 'gateway');
  const { postgres } = backing;
  return {
    base_url: plan.baseUrl,
    internal_url: internalUrl,
    admin_key: plan.keys.adminKey,
    sandbox: keysOf(seed, 'sandbox'),
    live: keysOf(seed, 'live'),
    processes: Object.fromEntries(pids) as Record<ServiceName, number | null>,
    backing: {
      postgres: postgres ? server(postgres) : { pid: null, url: database?.url ?? '' },
      redis: server(backing.redis),
      nats: server(backing.nats),
    },
  };
}

function keysOf(seed: Seed, environment: Environment): EnvironmentKeys {
  const { client_id, program_id, api_key, oauth_client_id, oauth_client_secret } =
    seed[environment];
  return { client_id, program_id, api_key, oauth_client_id, oauth_client_secret };
}
