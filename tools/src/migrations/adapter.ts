import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import { Pool, type QueryArrayResult } from 'pg';
import { onServer } from '../services.js';
import { connectDeadlineMs, execute, openSession } from './connection.js';

/** The one-byte type of the system catalogue, which the adapter does not know. */
const charType = 18;
const charArrayType = 1002;
/** The adapter's codes for column types. */
const characterColumn = 6;
const characterArrayColumn = 70;

/** A database that exists only while the engine replays migrations in it. */
export interface Shadow {
  serverUrl: string;
  name: string;
}

/** The engine's connection to one database; closed by whoever opens it. */
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

/** Without a statement timeout: how long a migration takes depends on how much there is. */
function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    // One connection, because the engine holds its migration lock on it.
    max: 1,
    connectionTimeoutMillis: connectDeadlineMs,
    onConnect: openSession,
  });
  pool.on('error', () => {});
  return pool;
}

/**
 * Part of each script, so that PostgreSQL commits a migration together with the fact that it is
 * finished, which the engine records only after its answer. PostgreSQL carries on with a script
 * whose client has died. The engine's lock is held, so no other migration is unfinished. A shadow
 * database has no such table, nor has a new one until the engine has run the script that makes it.
 */
const finish = `
;DO $finish$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET finished_at = now()
    WHERE finished_at IS NULL AND rolled_back_at IS NULL AND logs IS NULL;
  END IF;
END $finish$`;

/**
 * Prisma's adapter with two corrections needed for hand-written SQL: it splits a script at every
 * semicolon, also inside function bodies, and it does not know the catalogue's type for kinds of
 * constraints.
 */
async function correctedAdapter(pool: Pool): Promise<SqlDriverAdapter> {
  const query = pool.query.bind(pool);
  const adapter = await new PrismaPg(renameChars(pool)).connect();
  // The engine depends on the adapter's own error translation to record a failed migration.
  const { onError } = adapter as unknown as { onError: (error: unknown) => never };
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    // As a whole: PostgreSQL runs it as one transaction, so a failed migration leaves nothing
    // behind.
    executeScript: async (script: string) => {
      await query(script + finish).catch((error) => onError.call(adapter, error));
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

/**
 * Replaces the catalogue's type by a number that the adapter knows and that is not used otherwise.
 */
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
