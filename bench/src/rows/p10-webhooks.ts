import { connected } from '@countersign/tools/migrations/connection';
import { databaseOf } from '../live-database.js';
import { generate } from '../load/generator.js';
import { type Product, startProduct } from '../product.js';
import { call } from '../public-api.js';
import { untilQuiet, warmUp } from '../rounds.js';
import { copyId } from '../spender-ids.js';
import { ratioOf } from '../spread.js';
import { paymentBody } from '../subject.js';
import { startReceivers } from '../webhook-receivers.js';
import type { Row } from './row.js';

const webhookCount = 100;
/**
 * Declined payments, because approvals cause no webhook; a rate that does not saturate the machine.
 */
const perSecond = 100;
const roundMs = 6_000;
const connections = 64;

export const webhooks: Row = {
  id: 'P10',
  what: '100 webhooks with one dead endpoint ÷ none dead',
  figures: [
    { name: 'authorize p99', better: 'lower', must: 1.15, aim: 1.05 },
    { name: 'healthy delivery p99', better: 'lower', must: 2, aim: 1.3 },
  ],
  async measure(bench) {
    const receivers = await startReceivers();
    const product = await startProduct({
      mandates: webhookCount,
      env: { WEBHOOK_ALLOWED_HOSTS: receivers.hosts },
    });
    try {
      await warmUp(bench.lab, product);
      const ids = await register(product, receivers.healthy);
      const pointFirstAt = (url: string): Promise<unknown> =>
        hookCall(product, 1, { path: `/${ids[0]}`, method: 'PATCH', body: { url, active: true } });
      const healthy: Times[] = [];
      const withDead: Times[] = [];
      for (let round = 0; round <= bench.options.rounds; round += 1) {
        await pointFirstAt(receivers.healthy);
        const alone = await measure(product, ids[0] ?? '');
        await pointFirstAt(receivers.dead);
        const beside = await measure(product, ids[0] ?? '');
        // The first round warms the deliveries up.
        if (round === 0) continue;
        healthy.push(alone);
        withDead.push(beside);
      }
      return {
        values: [
          ratioOf(withDead, healthy, ({ authorizeMs }) => authorizeMs),
          ratioOf(withDead, healthy, ({ deliveryMs }) => deliveryMs),
        ],
        detail: { perSecond, healthy, withDead },
      };
    } finally {
      await product.stack.stop();
      await receivers.close();
    }
  },
};

interface HookCall {
  path?: string;
  method?: string;
  body: object;
}

function hookCall({ stack, model }: Product, principal: number, hook: HookCall) {
  const { path = '', method = 'POST', body } = hook;
  return call(`${stack.baseUrl}/api/v1/webhooks${path}`, {
    method,
    body,
    headers: {
      'x-api-key': model.apiKey,
      'x-principal-id': copyId('prn', principal),
    },
  });
}

/** One webhook per Principal; returns their ids. */
async function register(product: Product, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let principal = 1; principal <= webhookCount; principal += 1) {
    const body = { url, event_types: ['authorization.decline'] };
    const { webhook } = await hookCall(product, principal, { body });
    ids.push(webhook.id);
  }
  return ids;
}

interface Times {
  authorizeMs: number;
  deliveryMs: number;
  delivered: number;
}

/** p99 of the calls, and of the time from a decision to the end of its delivery. */
async function measure(product: Product, firstWebhook: string): Promise<Times> {
  const since = new Date();
  const plan = product.plan();
  const { latencyMs } = await generate({
    model: 'open',
    port: product.port,
    plan: { ...plan, body: paymentBody.replace('"5411"', '"7995"') },
    connections,
    durationMs: roundMs,
    perSecond,
  });
  await untilQuiet(product.pids());
  const { p99, delivered } = await connected(
    { connectionString: databaseOf(product.stack, 'notifier') },
    async (client) => {
      const { rows } = await client.query(
        `SELECT count(*)::int AS delivered, extract(epoch FROM percentile_cont(0.99)
           WITHIN GROUP (ORDER BY finished_at - created_at))::float8 * 1000 AS p99
         FROM delivery WHERE status = 'DELIVERED' AND webhook_id <> $1 AND created_at >= $2`,
        [firstWebhook, since],
      );
      return rows[0];
    },
  );
  if (delivered < (perSecond * roundMs) / 2_000) throw new Error(`${delivered} were delivered`);
  return { authorizeMs: latencyMs.p99, deliveryMs: p99, delivered };
}
