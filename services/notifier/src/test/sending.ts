import { Cipher } from '@countersign/kernel/cipher';
import { systemClock } from '@countersign/kernel/clock';
import { newId } from '@countersign/kernel/id';
import { createPool, type Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { until } from '@countersign/runtime/testing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import { secretPlace } from '../deliver.js';
import { deliveryMetrics } from '../delivery-metrics.js';
import { Dispatcher } from '../dispatcher.js';
import type { PostResult } from '../post.js';
import type { SlotLimits } from '../slots.js';

/** One attempt in flight, which ends when and how the test decides. */
interface Post {
  webhookId: string;
  principalId: string;
  answer(result?: Partial<PostResult>): void;
}

export interface Sending {
  pool: Pool;
  /** Attempts in flight, oldest first. */
  posts: Post[];
  ended: Post[];
  /** Creates webhooks of one Principal; returns their ids. */
  addHooks(principalId: string, count: number): Promise<string[]>;
  /** Creates due deliveries for each of the webhooks, due since this many seconds. */
  addDue(webhookIds: string[], options?: { each?: number; agoSeconds?: number }): Promise<void>;
  start(): void;
  wake(): void;
  stop(): Promise<void>;
}

/** The dispatcher over a real database, with endpoints that respond as the test decides. */
export function createSending(databaseUrl: string, limits: SlotLimits): Sending {
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: databaseUrl, size: 4, log });
  const cipher = new Cipher([Buffer.alloc(32, 7)]);
  const posts: Post[] = [];
  const ended: Post[] = [];
  const signal = new WakeSignal();
  const dispatcher = new Dispatcher({
    ...{ environment: 'sandbox', pool, signal, cipher, log, limits },
    ...{ clock: systemClock, tracer: null, retryBaseMs: 60_000, leaseMs: 60_000 },
    guard: new UrlGuard({ allowedHosts: ['127.0.0.1'] }),
    metrics: deliveryMetrics(new Metrics('test')),
    poster: {
      post: ({ url }) =>
        new Promise((resolve) => posts.push(postOf(url, { posts, ended, resolve }))),
      close: async () => {},
    },
  });
  return {
    ...{ pool, posts, ended },
    addHooks: (principalId, count) => addHooks({ pool, cipher }, principalId, count),
    addDue: (webhookIds, due) => addDue(pool, webhookIds, due),
    start: () => dispatcher.start(),
    wake: () => signal.wake(),
    async stop() {
      let stopped = false;
      const stopping = dispatcher.stop().then(() => {
        stopped = true;
      });
      await until(() => {
        for (const post of [...posts]) post.answer();
        return stopped;
      });
      await stopping;
      await pool.end();
    },
  };
}

interface PostParts {
  posts: Post[];
  ended: Post[];
  resolve: (result: PostResult) => void;
}

function postOf(url: string, { posts, ended, resolve }: PostParts): Post {
  const [, principalId = '', webhookId = ''] = new URL(url).pathname.split('/');
  const post: Post = {
    principalId,
    webhookId,
    answer: (result) => {
      posts.splice(posts.indexOf(post), 1);
      ended.push(post);
      resolve({ statusCode: 200, error: null, durationMs: 5, ...result });
    },
  };
  return post;
}

interface HookParts {
  pool: Pool;
  cipher: Cipher;
}

async function addHooks(
  { pool, cipher }: HookParts,
  principalId: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('webhook'));
  for (const id of ids) {
    const { keyId, bytes } = cipher.seal('whsec_test', secretPlace(id));
    await pool.query(
      `INSERT INTO webhook
         (id, client_id, principal_id, url, event_types, secret, secret_key_id, created_at)
       VALUES ($1, $2, $3, $4, '{*}', $5, $6, now())`,
      [id, newId('client'), principalId, `http://127.0.0.1/${principalId}/${id}`, bytes, keyId],
    );
  }
  return ids;
}

/** More in one statement could exceed the timeout of the pool on a busy machine. */
const insertedAtOnce = 2_000;

async function addDue(
  pool: Pool,
  webhookIds: string[],
  { each = 1, agoSeconds = 0 }: { each?: number; agoSeconds?: number } = {},
): Promise<void> {
  const most = Math.ceil(insertedAtOnce / webhookIds.length);
  for (let missing = each; missing > 0; missing -= most) {
    await pool.query(
      `INSERT INTO delivery
         (id, webhook_id, event_id, event, data, attempts_left, next_attempt_at, created_at)
       SELECT gen_random_uuid(), w.id, gen_random_uuid(), 'gate.fired', '{}', 5,
         now() - $3::int * interval '1 second', now()
       FROM unnest($1::text[]) w (id), generate_series(1, $2::int)`,
      [webhookIds, Math.min(most, missing), agoSeconds],
    );
  }
}
