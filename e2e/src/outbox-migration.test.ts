import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { createBus } from '@countersign/runtime/bus';
import { createPool, type Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { startRelay } from '@countersign/runtime/outbox';
import { testUrl, until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { Client } from 'pg';
import t from 'tap';

/** The migration that creates the queue, applied to an installation with events in its outbox. */
const migrationName = '20261124000000_unpublished';
const log = createLog({ service: 'test', level: 'silent' });

for (const service of ['identity', 'decision', 'ledger']) {
  t.test(`${service}: what was unpublished at the migration is published, the rest not`, (t) =>
    withDatabase(async (pool, url) => {
      const folder = new URL(`../../services/${service}/prisma/migrations/`, import.meta.url);
      const names = readdirSync(folder).filter((name) => /^\d/.test(name));
      const script = (name: string): string =>
        readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8');
      const earlier = names.filter((name) => name < migrationName).sort();
      for (const name of earlier) await pool.query(script(name));
      await insert(pool, ['published'], toThisStore);
      await insert(pool, ['waiting-1', 'waiting-2']);

      const open = new Client({ connectionString: url });
      await open.connect();
      await open.query('BEGIN');
      await insert(open, ['uncommitted']);
      const migrated = pool.query(script(migrationName));
      await until(async () => (await waitingForLocks(pool)) === 1, { what: 'it to wait' });
      await open.query('COMMIT');
      await open.end();
      await migrated;

      await t.test('a process of the release before goes on', async (t) => {
        await insert(pool, ['by-old-1', 'by-old-2']);
        t.same(await waiting(pool), [
          ...['waiting-1', 'waiting-2', 'uncommitted', 'by-old-1', 'by-old-2'],
        ]);
        const publish = `UPDATE outbox SET published_at = ${toThisStore}
          WHERE payload LIKE '%by-old-1%'`;
        await pool.query(publish);
        t.notOk((await waiting(pool)).includes('by-old-1'), 'published there');
        await pool.query(`UPDATE outbox SET published_at = NULL WHERE payload LIKE '%by-old-1%'`);
        t.ok((await waiting(pool)).includes('by-old-1'), 'to be published again');
        await pool.query(publish);
      });
      t.same((await publishedBy(pool)).sort(), [
        ...['by-old-2', 'uncommitted', 'waiting-1', 'waiting-2'],
      ]);
      t.same(await waiting(pool), []);
    }),
  );
}

/**
 * Events published up to a minute after the creation of a store count as lost with its predecessor.
 */
const toThisStore = "now() + interval '2 minutes'";

async function waiting(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT payload::json ->> 'requestId' AS name FROM unpublished JOIN outbox USING (seq)
     ORDER BY seq`,
  );
  return rows.map(({ name }) => name);
}

/** Inserts like a process of any release. */
async function insert(
  client: Pick<Client, 'query'> | Pool,
  names: readonly string[],
  publishedAt = 'NULL',
): Promise<void> {
  const events = names.map((name) => eventCalled(name));
  await (client as Client).query(
    `INSERT INTO outbox (event_id, type, payload, published_at)
     SELECT *, ${publishedAt} FROM unnest($1::text[], $2::text[], $3::text[])`,
    [
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map((event) => JSON.stringify(event)),
    ],
  );
}

function eventCalled(name: string): BusEvent<'trust.changed'> {
  return {
    ...{ id: newId('event'), type: 'trust.changed', environment: 'sandbox', requestId: name },
    ...{ principalId: null, clientId: null, occurredAt: new Date().toISOString() },
    data: { agentId: 'agt_1' } as BusEvent<'trust.changed'>['data'],
  };
}

/** Relays until the queue is empty; returns the names of the events that reached the bus. */
async function publishedBy(pool: Pool): Promise<string[]> {
  const namespace = newId('event');
  const bus = createBus({
    ...{ url: testUrl('nats'), service: 'listener', namespace, log },
    metrics: new Metrics('test'),
  });
  const names: string[] = [];
  const handle = async ({ requestId }: BusEvent): Promise<void> => void names.push(requestId ?? '');
  bus.subscribe({ environment: 'sandbox', topic: 'trust.changed', handle });
  await until(() => bus.connected());
  const relay = startRelay({ environment: 'sandbox', pool, bus, log });
  await until(async () => (await waiting(pool)).length === 0, { what: 'an empty queue' });
  // Messages arrive in stream order, so no earlier one can follow this one.
  const last = eventCalled('last');
  await bus.publish(last, JSON.stringify(last));
  await until(() => names.includes('last'), { what: 'the last event' });
  await relay.stop();
  await bus.close();
  return names.filter((name) => name !== 'last');
}

async function withDatabase(work: (pool: Pool, url: string) => Promise<void>): Promise<void> {
  const name = `test_outbox_${randomBytes(6).toString('hex')}`;
  const admin = new Client({ connectionString: testUrl('postgres') });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(testUrl('postgres'));
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.toString(), size: 4, log, lockTimeoutMs: 5_000 });
  try {
    await work(pool, url.toString());
  } finally {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}
