import { connected } from '@countersign/tools/migrations/connection';
import type { Bench } from '../bench.js';
import { databaseOf } from '../live-database.js';
import type { Product } from '../product.js';
import { call } from '../public-api.js';
import { cpuMsByProcess, measureRound, untilQuiet } from '../rounds.js';
import { copyId } from '../spender-ids.js';
import { ratioOf } from '../spread.js';
import type { Row } from './row.js';

const batchSize = 500;
const batchesARound = 8;
const singlesARound = 1_000;
const singlesAtOnce = 16;
const principalId = copyId('prn', 1);

export const outcomeBatch: Row = {
  id: 'P11',
  what: 'outcomes batch of 500, CPU per item ÷ single call',
  figures: [{ name: 'ratio', better: 'lower', must: 0.15, aim: 0.08 }],
  async measure(bench) {
    const product = await bench.product();
    const { rounds } = bench.options;
    const ids = await authorizationIds(
      bench,
      product,
      (rounds + 1) * (singlesARound + batchesARound * batchSize),
    );
    const batched: number[] = [];
    const single: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const micros = [
        await inBatches(bench, product, ids.splice(0, batchesARound * batchSize)),
        await oneByOne(bench, product, ids.splice(0, singlesARound)),
      ] as const;
      // The first round warms up.
      if (round === 0) continue;
      batched.push(micros[0]);
      single.push(micros[1]);
    }
    return {
      values: [ratioOf(batched, single, (micros) => micros)],
      detail: { cpuMicrosABatchedItem: batched, cpuMicrosASingleCall: single },
    };
  },
};

/** Authorizations of one Principal without reported outcomes. */
async function authorizationIds(bench: Bench, product: Product, wanted: number): Promise<string[]> {
  const read = () =>
    connected({ connectionString: databaseOf(product.stack, 'ledger') }, async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM authorization_record WHERE principal_id = $1 AND decision = 'APPROVE'
         ORDER BY id DESC LIMIT $2`,
        [principalId, wanted],
      );
      return rows.map(({ id }) => id);
    });
  let ids = await read();
  while (ids.length < wanted) {
    await measureRound(bench.lab, product, { variation: { mandates: 1 } });
    ids = await read();
  }
  return ids;
}

const outcomeOf = (id: string): object => ({
  authorization_id: id,
  outcome_type: 'SETTLED',
  reported_at: new Date().toISOString(),
  reported_by: 'ISSUER',
  settled_amount: '12.50',
  settled_currency: 'USD',
});

async function inBatches(bench: Bench, product: Product, ids: string[]): Promise<number> {
  return cpuMicrosAnItem(bench, product, async () => {
    for (let done = 0; done < ids.length; done += batchSize) {
      const outcomes = ids.slice(done, done + batchSize).map(outcomeOf);
      const { created } = await report(product, 'outcomes/batch', { outcomes });
      if (created !== outcomes.length) throw new Error(`${created} outcomes were created`);
    }
    return ids.length;
  });
}

async function oneByOne(bench: Bench, product: Product, ids: string[]): Promise<number> {
  return cpuMicrosAnItem(bench, product, async () => {
    const left = [...ids];
    const worker = async (): Promise<void> => {
      for (let id = left.pop(); id; id = left.pop()) {
        await report(product, 'outcomes', outcomeOf(id));
      }
    };
    await Promise.all(Array.from({ length: singlesAtOnce }, worker));
    return ids.length;
  });
}

function report({ stack, model }: Product, path: string, body: object) {
  return call(`${stack.baseUrl}/api/v1/${path}`, {
    body,
    headers: { 'x-api-key': model.apiKey, 'x-principal-id': principalId },
  });
}

async function cpuMicrosAnItem(
  { lab }: Bench,
  product: Product,
  work: () => Promise<number>,
): Promise<number> {
  const processes = { ...product.pids(), ...lab.serverPids() };
  await untilQuiet(processes);
  const sum = (): number =>
    Object.values(cpuMsByProcess(processes)).reduce((total, ms) => total + ms, 0);
  const before = sum();
  const items = await work();
  await untilQuiet(processes);
  return ((sum() - before) * 1_000) / items;
}
