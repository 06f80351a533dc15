import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import { Client, Pool, type QueryArrayResult } from 'pg';
import { onServer } from '../services.js';

/** The system catalogue's one-byte type, and its array: the first is unknown to the adapter. */
const charType = 18;
const charArrayType = 1002;
/** Codes by which the adapter tells the engine what a column holds. */
const characterColumn = 6;
const characterArrayColumn = 70;

const connectDeadlineMs = 5_000;
const statementTimeoutMs = 120_000;

/** A database that exists only while the engine replays migrations in it. */
export interface Shadow {
  serverUrl: string;
  name: string;
}

/** The engine's way to one database; whoever opens it closes it. */
export interface EngineConnection {
  factory: ReturnType<typeof bindMigrationAwareSqlAdapterFactory>;
  close(): Promise<void>;
}

export function openConnection(url: string, shadow?: Shadow): EngineConnection {
  const closers: Array<() => Promise<void>> = [];
  const open = async (target: string, closed?: () => Promise<void>): Promise<SqlDriverAdapter> => {
    const pool = openPool(target);
    let ended: Promise<void> | null = null;
    const end = (): Promise<void> => {
      ended ??= pool.end().then(closed);
      return ended;
    };
    closers.push(end);
    return Object.assign(await correctedAdapter(pool), { dispose: end });
  };
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => open(url),
    connectToShadowDb: async () => {
      if (!shadow) throw new Error('this command has no shadow database');
      const { serverUrl, name } = shadow;
      await execute(serverUrl, `CREATE DATABASE "${name}"`);
      return open(onServer(serverUrl, name), () =>
        execute(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
      );
    },
  };
  return {
    factory: bindMigrationAwareSqlAdapterFactory(factory),
    close: async () => {
      for (const end of closers) await end();
    },
  };
}

/** One statement on a connection of its own; rejects with the server's error. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectDeadlineMs,
    statement_timeout: statementTimeoutMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    // One connection: the engine holds the lock that serialises migrations on it.
    max: 1,
    connectionTimeoutMillis: connectDeadlineMs,
    statement_timeout: statementTimeoutMs,
  });
  pool.on('error', () => {});
  return pool;
}

/**
 * Prisma's adapter with two corrections, without which hand-written SQL cannot be migrated:
 * it cuts a script at every semicolon, those inside a function's body too, and it does not know
 * the type in which the catalogue states what kind of constraint one is.
 */
async function correctedAdapter(pool: Pool): Promise<SqlDriverAdapter> {
  const query = pool.query.bind(pool);
  const adapter = await new PrismaPg(renameChars(pool)).connect();
  // Its own translation of errors is what lets the engine record and report a failed migration.
  const { onError } = adapter as unknown as { onError: (error: unknown) => never };
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    // Whole: PostgreSQL runs it as one transaction, so a failed migration leaves nothing behind.
    executeScript: async (script: string) => {
      await query(script).catch((error) => onError.call(adapter, error));
    },
    queryRaw: async (params: Parameters<typeof queryRaw>[0]) => {
      const result = await queryRaw(params);
      const columnTypes = result.columnTypes.map((type) =>
        type === characterArrayColumn ? characterColumn : type,
      );
      return { ...result, columnTypes };
    },
  });
}

/** Gives the catalogue's type a number that the adapter knows and nothing else here uses. */
function renameChars(pool: Pool): Pool {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<QueryArrayResult>;
  const renamed = async (...args: unknown[]): Promise<QueryArrayResult> => {
    const result = await query(...args);
    for (const field of result.fields ?? []) {
      if (field.dataTypeID === charType) field.dataTypeID = charArrayType;
    }
    return result;
  };
  return Object.assign(pool, { query: renamed });
}
