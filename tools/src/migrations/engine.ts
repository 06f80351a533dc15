import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { openConnection, type Shadow } from './adapter.js';
import type { MigrationFolder } from './migration-folder.js';

/**
 * Prisma's schema engine as WebAssembly, through the database driver: the same `_prisma_migrations`
 * table and checksums as `prisma migrate deploy`, without its binary.
 */
type Engine = bindings.SchemaEngine;

/** Exists in Node.js but not in TypeScript's library for Node.js. */
interface WebAssemblyModule {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
}

const filters = { externalTables: [], externalEnums: [] };
let panicText = '';
let loaded: Promise<void> | null = null;

/** Compiled once per process, and only if needed. */
function load(): Promise<void> {
  loaded ??= instantiate();
  return loaded;
}

async function instantiate(): Promise<void> {
  const name = '@prisma/schema-engine-wasm/schema_engine_bg';
  const file = fileURLToPath(import.meta.resolve(name)).replace(/_bg\.js$/, '_bg.wasm');
  // The engine reports a panic to this global, and then fails only with "unreachable".
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (text: string) => {
        panicText = text;
      },
    },
  });
  const imports = { './schema_engine_bg.js': withoutHeldTimers() };
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WebAssemblyModule };
  const { instance } = await wasm.instantiate(readFileSync(file), imports);
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start !== 'function') throw new Error('the schema engine is of another version');
  start();
}

/**
 * The engine never clears the timer of its lock, which would keep the process alive for ten
 * seconds.
 */
function withoutHeldTimers(): object {
  const entries = Object.entries(bindings).map(([name, value]) => {
    if (!name.startsWith('__wbg_setTimeout_')) return [name, value];
    return [name, (call: () => void, ms: number) => setTimeout(call, ms).unref()];
  });
  return Object.fromEntries(entries);
}

/** Opens the engine on a database for one task and closes its connections afterwards. */
async function withEngine<T>(
  { url, shadow }: { url: string; shadow?: Shadow },
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  await load();
  panicText = '';
  const { factory, close } = openConnection(url, shadow);
  try {
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, factory);
    return await work(engine);
  } catch (error) {
    throw explain(error, factory.errorRegistry);
  } finally {
    await close();
  }
}

interface ErrorRegistry {
  consumeError(id: number): { error: unknown } | undefined;
}

/** The engine refers to a driver error by number and appends a trace of its own source. */
function explain(error: unknown, registry: ErrorRegistry): Error {
  const text = error instanceof Error ? error.message : String(error);
  const id = /External error id#(\d+)/.exec(text)?.[1];
  const outer = id === undefined ? undefined : registry.consumeError(Number(id))?.error;
  if (outer instanceof Error) return outer;
  const lines = text.split('\n').filter((line) => !/^\s+(\d+: |at |with )/.test(line));
  return new Error(panicText || lines.join('\n').trim(), { cause: error });
}

function listOf({ path, lock, migrations }: MigrationFolder): MigrationList {
  return {
    baseDir: path,
    lockfile: { path: 'migration_lock.toml', content: lock },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

type MigrationList = Parameters<Engine['applyMigrations']>[0]['migrationsList'];

/** Returns the names of applied migrations. It waits ten seconds at most for the engine's lock. */
export async function applyMigrations(url: string, folder: MigrationFolder): Promise<string[]> {
  const migrationsList = listOf(folder);
  const output = await withEngine({ url }, (engine) =>
    engine.applyMigrations({ migrationsList, filters }),
  );
  return output.appliedMigrationNames;
}

/** Allows a failed migration to be applied again. */
export async function markRolledBack(url: string, migrationName: string): Promise<void> {
  await withEngine({ url }, (engine) => engine.markMigrationRolledBack({ migrationName }));
}

/**
 * SQL from the state of the migrations to the schema; empty if they agree. The migrations are
 * replayed in a temporary database of that name.
 */
export async function diffToSchema(
  folder: MigrationFolder,
  schema: string,
  shadow: Shadow,
): Promise<string> {
  const output = await withEngine({ url: shadow.serverUrl, shadow }, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...listOf(folder) },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: schema }] },
      script: true,
      exitCode: null,
      filters,
    }),
  );
  const sql = output.stdout ?? '';
  return sql.startsWith('-- This is an empty migration') ? '' : sql;
}
