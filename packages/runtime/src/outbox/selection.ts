import type { PoolClient } from '../database.js';
import { Front } from './front.js';
import { take, type Waiting } from './queue.js';

const batchSize = 256;
/** While a backlog waits, new events get up to half of each batch, so that neither waits long. */
const mostNew = batchSize / 2;
/**
 * The newest rows of the outbox never belong to a backlog: what was being committed, or came last,
 * when it was noticed.
 */
const newest = 1_024;

/** Bounded below by what has been read, so that it finds nothing unless so many are left. */
const newestSql = {
  name: 'newest-of-outbox',
  text: `SELECT seq FROM outbox WHERE seq > $1 ORDER BY seq DESC OFFSET ${newest - 1} LIMIT 1`,
};

interface Selected {
  rows: Waiting[];
  /** Nothing else is waiting, but for what another replica has locked. */
  isAll: boolean;
}

/** New events beside a backlog. */
interface Fresh {
  since: string;
  front: Front;
}

/**
 * What to publish next: the oldest events, and while there is a backlog of them, new events beside
 * them. After an outage, or when a week of events is published again, a challenge would otherwise
 * have expired before anybody heard of it. The backlog need not be complete when it is noticed:
 * what is put back into the queue later has lower numbers than new events.
 */
export class Selection {
  readonly #front = new Front();
  #fresh: Fresh | null = null;

  async take(client: PoolClient): Promise<Selected> {
    const fresh = await this.#takeFresh(client);
    const most = batchSize - fresh.length;
    const from = this.#front.from();
    const old = await take(client, { most, from, below: this.#fresh?.since });
    if (old[0]) this.#front.saw(old[0].seq);
    const last = old.length === most ? old.at(-1) : undefined;
    if (!last) this.#fresh = null;
    else this.#fresh ??= await newSince(client, last.seq);
    return { rows: [...old, ...fresh], isAll: !last && fresh.length < mostNew };
  }

  async #takeFresh(client: PoolClient): Promise<Waiting[]> {
    if (!this.#fresh) return [];
    const { front } = this.#fresh;
    const rows = await take(client, { most: mostNew, from: front.from() });
    if (rows[0]) front.saw(rows[0].seq);
    return rows;
  }
}

async function newSince(client: PoolClient, after: string): Promise<Fresh | null> {
  const { rows } = await client.query<{ seq: string }>({ ...newestSql, values: [after] });
  const since = rows[0]?.seq;
  return since ? { since, front: new Front(since) } : null;
}
