import { serviceNames } from '@countersign/tools/services';
import { type TemporaryRun, withTemporaryRun } from '@countersign/tools/temporary-run';
import { useLogFiles } from './used-log.js';

const servers = ['postgres', 'redis', 'nats'] as const;
type ServerName = (typeof servers)[number];

/** By then the JIT compilers have optimised the code, and caches contain all 10,000 mandates. */
export const defaultWarmAfter = 25_000;

/** The servers shared by all measurements of a run, and the supervisor. */
export interface Lab
  extends Pick<TemporaryRun<ServerName>, 'supervisor' | 'ports' | 'folder' | 'logFolder'> {
  urls: Record<ServerName, string>;
  /** Process ids of the shared servers. */
  serverPids(): Record<string, number>;
  /** Number of answers after which a subject counts as warm. */
  warmAfter: number;
}

/**
 * Works with a lab, which is gone in the end. Its PostgreSQL, Redis and NATS are started as by `npm
 * start`: what they acknowledge is on disk.
 */
export async function withLab<Result>(
  work: (lab: Lab) => Promise<Result>,
  warmAfter = defaultWarmAfter,
): Promise<Result> {
  const options = { backing: servers, services: serviceNames, durable: true, env: {} };
  return withTemporaryRun(options, async ({ servers: found, env, ...run }) => {
    const { postgres, redis, nats } = found;
    await useLogFiles(postgres.url);
    // The stacks find servers and their data folder like those of a test run.
    Object.assign(process.env, env);
    return work({
      ...run,
      urls: { postgres: postgres.url, redis: redis.url, nats: nats.url },
      serverPids: () =>
        Object.fromEntries(servers.map((name) => [name, found[name].process?.pid ?? 0])),
      warmAfter,
    });
  });
}
