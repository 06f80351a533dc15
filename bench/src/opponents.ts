import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute } from '@countersign/tools/migrations/connection';
import { onServer } from '@countersign/tools/services';
import { altSqlKey, makeAltSqlDatabase } from './baselines/alt-sql-tables.js';
import { recordTable } from './baselines/record-table.js';
import type { Lab } from './lab.js';
import { paymentPlan, type Subject, spreadMandates } from './subject.js';

const readyDeadlineMs = 2_000;

interface Program {
  name: string;
  file: URL;
  env: Record<string, string>;
  isReady: () => Promise<boolean>;
}

/** Starts a benchmark program under the supervisor; resolves when it is ready. */
function startProgram(lab: Lab, { name, file, env, isReady }: Program) {
  return lab.supervisor.start({
    name,
    kind: 'service',
    command: process.execPath,
    args: [fileURLToPath(file)],
    env: { ...process.env, NODE_ENV: 'production', ...env },
    cwd: lab.folder,
    owner: null,
    logFile: join(lab.logFolder, `${name}.log`),
    stopSignal: 'SIGTERM',
    isReady,
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(readyDeadlineMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** An empty database on the shared server. */
async function makeDatabase(lab: Lab, name: string): Promise<string> {
  await execute(lab.urls.postgres, `CREATE DATABASE ${name}`);
  return onServer(lab.urls.postgres, name);
}

/**
 * Between 12, which had the highest throughput, and 20, which had the lowest cost (`npm run bench
 * -- pool`).
 */
const bestPoolSize = 16;

export async function startAltSql(
  lab: Lab,
  { poolSize = bestPoolSize, name = 'alt-sql', mandates = spreadMandates } = {},
): Promise<Subject> {
  const url = await makeDatabase(lab, `bench_${name.replaceAll('-', '_')}`);
  await makeAltSqlDatabase(url, mandates);
  const port = await lab.ports.pick();
  const process = await startProgram(lab, {
    name,
    file: new URL('./baselines/alt-sql.js', import.meta.url),
    env: { DATABASE_URL: url, PORT: String(port), POOL_SIZE: String(poolSize) },
    isReady: () => answers(`http://127.0.0.1:${port}/readyz`),
  });
  return {
    name,
    isProduct: false,
    port,
    pids: () => ({ [name]: process.pid ?? 0 }),
    plan: (variation) =>
      paymentPlan([`x-api-key: ${altSqlKey}`, 'x-principal-id: prn_01{n}'], variation),
  };
}

/** Front and recorder of the floor, the lower bound to which the rest of the design only adds. */
export async function startFloor(lab: Lab, kind: 'unary' | 'stream'): Promise<Subject> {
  const name = `floor-${kind}`;
  const url = await makeDatabase(lab, `bench_floor_${kind}`);
  await execute(url, recordTable);
  const [port, grpcPort] = [await lab.ports.pick(), await lab.ports.pick()];
  const readyUrl = `http://127.0.0.1:${port}/readyz`;
  const env = { FLOOR: kind, REDIS_URL: lab.urls.redis, NATS_URL: lab.urls.nats };
  const recorder = await startProgram(lab, {
    name: `${name}-recorder`,
    file: new URL('./baselines/floor-recorder.js', import.meta.url),
    env: { ...env, DATABASE_URL: url, GRPC_PORT: String(grpcPort), NAMESPACE: `floor_${kind}` },
    isReady: () => accepts(grpcPort),
  });
  const gateway = await startProgram(lab, {
    name: `${name}-gateway`,
    file: new URL('./baselines/floor-gateway.js', import.meta.url),
    env: { ...env, PORT: String(port), RECORDER_ADDRESS: `127.0.0.1:${grpcPort}` },
    isReady: () => answers(readyUrl),
  });
  return {
    name,
    isProduct: false,
    port,
    pids: () => ({ gateway: gateway.pid ?? 0, recorder: recorder.pid ?? 0 }),
    plan: (variation) => paymentPlan(['x-api-key: floor', 'x-principal-id: prn_01{n}'], variation),
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
