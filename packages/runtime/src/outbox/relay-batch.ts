import { sha256Hex } from '@countersign/kernel/canonical';
import type { Environment } from '@countersign/kernel/environment';
import type { BusTopic } from '@countersign/kernel/event';
import type { Bus, EventBatch } from '../bus.js';
import { inTransaction, type Pool } from '../database.js';
import { beginRelay, type OutboxRow, strike } from './queue.js';
import type { Selection } from './selection.js';

export interface RelayParts {
  environment: Environment;
  pool: Pool;
  bus: Bus;
}

const maxRowsAMessage = 128;
/** In characters; some 150 events. */
const maxMessageLength = 100_000;
/** A character may take this many bytes. */
const maxBytesACharacter = 4;

export interface Relayed {
  published: number;
  /** Nothing else is waiting, but for what another replica has locked. */
  isAll: boolean;
  /** Why a message was not acknowledged, if some were and others were not. */
  refusal: PromiseRejectedResult | null;
}

/** Publishes up to one batch and removes from the queue what the bus has acknowledged. */
export async function relayBatch(
  { environment, pool, bus }: RelayParts,
  selection: Selection,
): Promise<Relayed> {
  if (!bus.connected()) throw new Error('the bus is unavailable');
  return inTransaction(
    pool,
    async (client): Promise<Relayed> => {
      const { rows, isAll } = await selection.take(client);
      if (rows.length === 0) return { published: 0, isAll, refusal: null };
      const waiting = rows.filter((row): row is OutboxRow => row.event_id !== null);
      const batches = inMessages(waiting, lengthWithin(bus.maxMessageBytes()));
      const results = await Promise.allSettled(
        batches.map((batch) => bus.publishTogether(toMessage(batch, environment))),
      );
      const failed = new Set<unknown>(
        batches.flatMap((batch, index) => (results[index]?.status === 'rejected' ? batch : [])),
      );
      const done = rows.filter((row) => !failed.has(row));
      await strike(client, done);
      const refusal = results.find((result) => result.status === 'rejected') ?? null;
      return { published: done.length, isAll, refusal };
    },
    beginRelay,
  );
}

/** How long a message may be: less where the bus takes only small ones. */
function lengthWithin(maxBytes: number): number {
  return Math.min(maxMessageLength, Math.floor(maxBytes / maxBytesACharacter));
}

/** Groups rows of one topic in their order, within the limits of one message. */
function inMessages(rows: readonly OutboxRow[], maxLength: number): OutboxRow[][] {
  const batches: OutboxRow[][] = [];
  const open = new Map<string, { batch: OutboxRow[]; size: number }>();
  for (const row of rows) {
    let last = open.get(row.topic);
    const size = row.payload.length;
    if (!last || last.batch.length >= maxRowsAMessage || last.size + size > maxLength) {
      last = { batch: [], size: 0 };
      open.set(row.topic, last);
      batches.push(last.batch);
    }
    last.batch.push(row);
    last.size += size;
  }
  return batches;
}

/**
 * The id is derived from those of all its rows, so a different selection never counts as a repeat.
 */
function toMessage(batch: readonly OutboxRow[], environment: Environment): EventBatch {
  const ids = batch.map(({ event_id }) => event_id);
  return {
    id: sha256Hex(ids.join()),
    topic: batch[0]?.topic as BusTopic,
    environment,
    payloads: batch.map(({ payload }) => payload),
  };
}
