import { createHash } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { decisionService } from '@countersign/proto/decision';
import { multiplexService } from '@countersign/proto/multiplex';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import { Metrics } from '@countersign/runtime/metrics';
import Router from '@koa/router';
import { Redis } from 'ioredis';
import Koa from 'koa';

/**
 * The front of the floor, a lower bound of the cost: HTTP in, one Redis script, one call to the
 * recorder, and no checks. No installation that is split at this point and uses these protocols can
 * cost less.
 */
const streamed = { open: multiplexService.Open, methods: ['Authorize'] };
const { call } = createGrpcClient({
  transport: inTheClear,
  service: decisionService,
  address: String(process.env.RECORDER_ADDRESS),
  metrics: new Metrics('floor'),
  ...(process.env.FLOOR === 'stream' && { streamed }),
});

interface Scripts {
  takeToken(bucket: string): Promise<number>;
}

const redis = new Redis(String(process.env.REDIS_URL), {
  enableAutoPipelining: true,
}) as Redis & Scripts;
redis.defineCommand('takeToken', {
  numberOfKeys: 1,
  lua: `local n = redis.call('INCR', KEYS[1]); redis.call('PEXPIRE', KEYS[1], 1000); return n`,
});

interface Body {
  agent_id: string;
  amount: string;
  currency: string;
  intent_context: { task_reference: string };
  idempotency_key: string;
}

const router = new Router();
router.post('/api/v1/authorize', async (ctx) => {
  const text = await readBody(ctx.req);
  const body = JSON.parse(text) as Body;
  await redis.takeToken(`floor:${ctx.get('x-api-key')}`);
  const { answer } = await call.Authorize(
    {
      authorizationId: newId('authorization'),
      transactionId: newId('transaction'),
      clientId: 'cli_bench',
      principalId: ctx.get('x-principal-id'),
      payment: {
        agentId: body.agent_id,
        amount: body.amount,
        currency: body.currency,
        intentContext: { taskReference: body.intent_context.task_reference },
        idempotencyKey: body.idempotency_key,
        metadataJson: text,
      },
      bodyHash: createHash('sha256').update(text).digest('hex'),
    },
    { environment: 'live', requestId: newId('event') },
  );
  ctx.type = 'application/json';
  ctx.body = answer;
});
router.get('/readyz', async (ctx) => {
  await redis.ping();
  ctx.body = 'ok';
});

async function readBody(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

new Koa().use(router.routes()).listen(Number(process.env.PORT), '127.0.0.1');
