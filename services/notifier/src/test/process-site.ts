import { newId } from '@countersign/kernel/id';
import { createPool, type Pool } from '@countersign/runtime/database';
import { createLog, type Logger } from '@countersign/runtime/log';
import { createTestDatabases } from '@countersign/runtime/testing';
import root from 'tap';
import { notifierEnv } from './notifier.js';

/** What processes of the service share, and a pool to look into their sandbox database. */
interface ProcessSite {
  env: Record<string, string>;
  namespace: string;
  pool: Pool;
  log: Logger;
}

/** New databases for the tests of a file, which are dropped when they have ended. */
export async function newProcessSite(more: Record<string, string>): Promise<ProcessSite> {
  const namespace = newId('event');
  const databases = await createTestDatabases('notifier');
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: databases.urls.sandbox, size: 1, log });
  root.teardown(async () => {
    await pool.end();
    await databases.drop();
  });
  const env = notifierEnv({ urls: databases.urls, namespace, env: more });
  return { env, namespace, pool, log };
}
