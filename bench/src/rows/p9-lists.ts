import { performance } from 'node:perf_hooks';
import { longLog } from '../grown.js';
import type { Product } from '../product.js';
import { type Answer, call } from '../public-api.js';
import { copyId } from '../spender-ids.js';
import { ratioOf, spreadOf } from '../spread.js';
import type { Row } from './row.js';

const pageSize = 100;
const maxPages = (2 * longLog) / pageSize;
const readsARound = 150;

export const lists: Row = {
  id: 'P9',
  what: 'time to list the authorizations of an agent',
  figures: [
    { name: 'last ÷ first page of 10^5', better: 'lower', must: 1.2, aim: 1.05 },
    { name: 'a page of 10^7 rows ÷ of 10^4', better: 'lower', must: 1.3, aim: 1.1 },
  ],
  async measure(bench) {
    const { small, large, sizes } = await bench.grown();
    const first = { product: large, agent: 1 };
    const last = { ...first, cursor: await lastCursor(large, 1) };
    const pages: Pair[] = [];
    const tables: Pair[] = [];
    // The first round is not counted, because it warms up.
    for (let round = 0; round <= bench.options.rounds; round += 1) {
      pages.push(await alternate(last, first));
      tables.push(await alternate({ product: large, agent: 2 }, { product: small, agent: 2 }));
    }
    return {
      values: [pages, tables].map((all) => {
        const counted = all.slice(1);
        return ratioOf(counted.map(one), counted.map(other), (ms) => ms);
      }),
      detail: { sizes, pages, tables },
    };
  },
};

interface Reading {
  product: Product;
  agent: number;
  cursor?: string;
}

/** Median times in milliseconds of two reads, measured alternately. */
type Pair = [oneMs: number, otherMs: number];
const one = ([ms]: Pair): number => ms;
const other = ([, ms]: Pair): number => ms;

async function alternate(over: Reading, under: Reading): Promise<Pair> {
  const times: [number[], number[]] = [[], []];
  for (let read = 0; read < readsARound; read += 1) {
    times[0].push(await timed(over));
    times[1].push(await timed(under));
  }
  return [spreadOf(times[0]).median, spreadOf(times[1]).median];
}

async function timed(reading: Reading): Promise<number> {
  const startedAt = performance.now();
  const { data } = await page(reading);
  const ms = performance.now() - startedAt;
  if (data.length !== pageSize) throw new Error(`a page has ${data.length} rows`);
  return ms;
}

function page({ product: { stack, model }, agent, cursor }: Reading): Promise<Answer> {
  const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) });
  return call(`${stack.baseUrl}/api/v1/authorize/log/agent/${copyId('agt', agent)}?${query}`, {
    method: 'GET',
    headers: { 'x-api-key': model.apiKey, 'x-principal-id': copyId('prn', agent) },
  });
}

/** Cursor of the last full page: pages are read one after the other, as a caller would. */
async function lastCursor(product: Product, agent: number): Promise<string> {
  const full: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { data, pagination }: Answer = await page({ product, agent, ...(cursor && { cursor }) });
    if (cursor && data.length === pageSize) full.push(cursor);
    cursor = pagination.next_cursor;
    if (cursor === null) break;
  }
  const last = full.at(-1);
  if (!last || cursor !== null) throw new Error('the log is too short, or does not end');
  return last;
}
