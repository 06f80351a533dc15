import { newId } from '@countersign/kernel/id';
import { type AuthorizeRequest, decisionService } from '@countersign/proto/decision';
import { multiplexService } from '@countersign/proto/multiplex';
import { createBus } from '@countersign/runtime/bus';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { inGroups } from '@countersign/runtime/sharing/groups';
import { Pool } from 'pg';
import { recordColumns } from './record-table.js';

/** The back of the floor: writes its input in batches and publishes it, without any decision. */
const log = createLog({ service: 'floor', level: 'warn' });
const metrics = new Metrics('floor');
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const bus = createBus({
  url: String(process.env.NATS_URL),
  namespace: String(process.env.NAMESPACE),
  service: 'floor',
  log,
  metrics,
});
const publishEach = process.env.FLOOR !== 'stream';
const maxGroup = 128;

type Row = Record<(typeof recordColumns)[number], unknown>;

const types: Partial<Record<keyof Row, string>> = { amount: 'numeric', created_at: 'timestamptz' };
/** Arrays of arrays cannot be unnested; the floor has no reasons. */
const written = recordColumns.filter((column) => column !== 'reason_codes');

const insertRows = {
  name: 'insert_rows',
  text: `
    INSERT INTO authorization_record (${written.join(', ')})
    SELECT * FROM unnest(${written
      .map((column, index) => `$${index + 1}::${types[column] ?? 'text'}[]`)
      .join(', ')})`,
};

const record = inGroups<Row>({ maxGroup }, async (rows) => {
  await pool.query({
    ...insertRows,
    values: written.map((column) => rows.map((row) => row[column])),
  });
  const told = publishEach ? rows.map((row) => [row]) : [rows];
  await Promise.all(
    told.map((some) =>
      bus.publishTogether({
        ...{ id: newId('event'), topic: 'authorization.recorded', environment: 'live' },
        payloads: some.map(({ id, agent_id, amount, decision }) =>
          JSON.stringify({ id, agent_id, amount, decision }),
        ),
      }),
    ),
  );
});

const filler = 'x'.repeat(560);

async function authorize(request: AuthorizeRequest) {
  const { authorizationId: id, transactionId, principalId = null, payment } = request;
  const answer = JSON.stringify({
    authorization_id: id,
    transaction_id: transactionId,
    decision: 'APPROVE',
    agent_id: payment?.agentId,
    filler,
  });
  const now = new Date().toISOString();
  await record({
    id,
    client_id: request.clientId,
    principal_id: principalId,
    agent_id: payment?.agentId ?? null,
    mandate_id: null,
    transaction_id: transactionId,
    idempotency_key: payment?.idempotencyKey ?? null,
    body_hash: request.bodyHash,
    decision: 'APPROVE',
    reason_codes: null,
    amount: payment?.amount,
    currency: payment?.currency,
    rail: 'CARD',
    mcc: '5411',
    country: 'USA',
    merchant_id: 'm-1001',
    merchant_name: 'Corner Shop',
    client_reference: payment?.idempotencyKey ?? null,
    counted_day: now.slice(0, 10),
    body: payment?.metadataJson,
    answer,
    created_at: now,
  });
  return { answer, replayed: false };
}

await bus.keptSince('live');
await startGrpcServer({
  transport: inTheClear,
  service: decisionService,
  handlers: { Authorize: authorize } as never,
  multiplex: multiplexService,
  host: '127.0.0.1',
  port: Number(process.env.GRPC_PORT),
  log,
  metrics,
  lifecycle: new Lifecycle(log),
});
