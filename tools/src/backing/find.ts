import { join } from 'node:path';
import type { PortPicker } from '../ports.js';
import { Failure, messageOf, say } from '../screen.js';
import type { SupervisedProcess } from '../supervised-process.js';
import type { Supervisor } from '../supervisor.js';
import { unpackDebianPackage } from './debian-package.js';
import { launchInDocker } from './docker.js';
import { nats } from './nats.js';
import { postgres } from './postgres.js';
import { findIn, findOnPath, type Program } from './program.js';
import { redis } from './redis.js';
import { type ServerHome, serverHome } from './server-home.js';
import type { Launch, ServerKind, ServerName, Site } from './server-kind.js';

const kinds: Record<ServerName, ServerKind> = { postgres, redis, nats };

/** A server to use: its URL, and its process if this run started it. */
export interface BackingServer {
  url: string;
  process: SupervisedProcess | null;
}

export interface FindOptions {
  supervisor: Supervisor;
  ports: PortPicker;
  /** Data folder of the servers that this run starts. */
  homeFolder: string;
  logFolder: string;
  durable: boolean;
  /**
   * Environment in which URLs of existing servers are looked up; empty to always start new ones.
   */
  env: NodeJS.ProcessEnv;
}

/** The requested servers, found or started concurrently. */
export async function findServers<N extends ServerName>(
  names: readonly N[],
  options: FindOptions,
): Promise<Record<N, BackingServer>> {
  const found = await Promise.all(
    names.map(async (name) => [name, await findServer(kinds[name], options)] as const),
  );
  return Object.fromEntries(found) as Record<N, BackingServer>;
}

/**
 * One server: the one named in the environment, else a new one, by the methods of the local run
 * contract in order.
 */
export async function findServer(kind: ServerKind, options: FindOptions): Promise<BackingServer> {
  const given = options.env[kind.variable];
  if (given) return existing(kind, given);
  const { durable, ports } = options;
  const home = serverHome(options.homeFolder, durable);
  const site: Site = { home, durable, port: await ports.pick() };
  const program =
    (await kind.fromNpm?.(home)) ??
    findOnPath(kind.binaries, home) ??
    (await fromDebian(kind, home));
  const launch = program ? await kind.launch(program, site) : await launchInDocker(kind, site);
  if (!launch) throw new Failure(`There is no ${kind.title} here.`, kind.advice);
  const process = await start(kind, launch, {
    options,
    home,
    native: program !== null,
  });
  const which = program ? `version ${program.version}` : kind.dockerImage;
  say(`${kind.title} on 127.0.0.1:${site.port} (${which})`);
  return { url: launch.url, process };
}

async function existing(kind: ServerKind, url: string): Promise<BackingServer> {
  let answers = false;
  try {
    answers = await kind.answers(url);
  } catch (error) {
    throw new Failure(`${kind.variable} is not a URL: ${messageOf(error)}`, kind.advice);
  }
  if (!answers) {
    throw new Failure(
      `${kind.variable} is set, and no ${kind.title} answers there.`,
      `Start that server, or unset ${kind.variable} to have one started here.`,
    );
  }
  say(`${kind.title} of ${kind.variable}`);
  return { url, process: null };
}

async function fromDebian(kind: ServerKind, home: ServerHome): Promise<Program | null> {
  const unpacked = await unpackDebianPackage(kind.debianPackage, home);
  return unpacked && findIn(unpacked.folders, kind.binaries, { home, env: unpacked.env });
}

function start(
  kind: ServerKind,
  launch: Launch,
  { options, home, native }: { options: FindOptions; home: ServerHome; native: boolean },
): Promise<SupervisedProcess> {
  return options.supervisor.start({
    name: kind.name,
    kind: 'server',
    command: launch.command,
    args: launch.args,
    env: { ...process.env, ...launch.env },
    cwd: home.folder,
    // The Docker client needs the rights of a user who may use Docker.
    owner: native ? home.owner : null,
    logFile: join(options.logFolder, `${kind.name}.log`),
    stopSignal: kind.stopSignal,
    isReady: () => kind.answers(launch.url),
  });
}
