import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { decide, type Payment } from './alt-sql-payment.js';
import { keyHash } from './alt-sql-tables.js';

/**
 * What a user would write instead of this product: one process, one transaction per payment. It
 * gets every advantage: prepared statements, a schema compiled by Fastify, no logging, and the pool
 * size that suited it best.
 */
const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL_SIZE),
});

const findKey = {
  name: 'find_key',
  text: 'SELECT client_id FROM api_key WHERE hash = $1 AND revoked_at IS NULL',
};

const text = (maxLength: number) => ({ type: 'string', maxLength });
const schema = {
  body: {
    type: 'object',
    required: ['agent_id', 'amount', 'currency', 'intent_context'],
    additionalProperties: false,
    properties: {
      agent_id: { type: 'string', pattern: '^agt_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
      amount: { type: 'string', pattern: '^\\d{1,18}(\\.\\d{1,2})?$' },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
      intent_context: {
        type: 'object',
        required: ['task_reference'],
        properties: {
          task_reference: text(255),
          intent_type: text(64),
          reasoning_summary: text(4_000),
        },
      },
      merchant_name: text(255),
      merchant_id: text(255),
      mcc: { type: 'string', pattern: '^\\d{4}$' },
      country: { type: 'string', pattern: '^[A-Z]{3}$' },
      client_reference: text(128),
      idempotency_key: { type: 'string', pattern: '^[A-Za-z0-9_\\-:.]{8,128}$' },
    },
  },
};

const app = Fastify({ logger: false });

app.post<{ Body: Payment }>('/api/v1/authorize', { schema }, async (request, reply) => {
  const hash = keyHash(String(request.headers['x-api-key']));
  const { rows } = await pool.query<{ client_id: string }>({ ...findKey, values: [hash] });
  const [key] = rows;
  if (!key) return reply.code(401).send({ error: 'unknown key' });
  const body = JSON.stringify(request.body);
  const { status, answer } = await decide(pool, {
    clientId: key.client_id,
    principalId: String(request.headers['x-principal-id']),
    payment: request.body,
    body,
    bodyHash: createHash('sha256').update(body).digest('hex'),
  });
  return reply.code(status).type('application/json').send(answer);
});

app.get('/readyz', async () => {
  await pool.query('SELECT 1');
  return 'ok';
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
