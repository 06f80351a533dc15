import { newId } from '@countersign/kernel/id';
import type { Pool } from '@countersign/runtime/database';
import { Metrics } from '@countersign/runtime/metrics';
import { openTestPool } from '@countersign/runtime/testing/pool';
import t from 'tap';
import type { Chain, Receipt } from '../chain.js';
import type { ChainSettings } from '../chain-settings.js';
import { checkSettlement } from '../check.js';
import { type OpenRow, readOpenRow } from '../open-row.js';
import { settlementMetrics } from '../settlement-metrics.js';
import type { Transition } from '../status.js';

const shop = `0x${'5'.repeat(40)}`;
const contract = `0x${'c'.repeat(40)}`;
const settings = {
  ...{ name: 'anvil', chainId: 31337, confirmations: 3 },
  assets: new Map([['USDC', { contract, decimals: 6 }]]),
} as unknown as ChainSettings;

/** A receipt in block 10 with a transfer of 1 USDC to the shop, or of a revert. */
export function receipt(succeeded = true): Receipt {
  return {
    succeeded,
    block: { number: 10n, hash: '0xb10c' },
    transfers: [{ contract, from: `0x${'a'.repeat(40)}`, to: shop, value: 1_000_000n }],
  };
}

/** What the chain says of a transaction. The head is block 12 unless named. */
interface Seen {
  receipt: Receipt | null;
  isKnown?: boolean;
  head?: bigint;
  /** How old the head is, in hours. */
  headAge?: number;
}

interface CheckedSettlements {
  pool: Pool;
  /** Ids of the settlements that checks have settled. */
  settledIds: string[];
  /** Inserts a settlement so old that it fails if a check finds no transaction; returns its id. */
  insertOld(requiredConfirmations: number, txHash?: string): Promise<string>;
  read(id: string): Promise<OpenRow>;
  /** Runs a check that read this row when it began. */
  check(row: OpenRow, seen: Seen): Promise<Transition | null>;
}

/** Settlements in a database of their own, which only the test checks, on a stub of a chain. */
export async function openCheckedSettlements(): Promise<CheckedSettlements> {
  const pool = await openTestPool(t, 'settlement');
  const settledIds: string[] = [];
  const counted = settlementMetrics(new Metrics('test'));
  return {
    pool,
    settledIds,
    insertOld: (requiredConfirmations, txHash) => insertOld(pool, requiredConfirmations, txHash),
    async read(id) {
      const row = await readOpenRow(pool, id);
      if (!row) throw new Error('the settlement does not exist');
      return row;
    },
    check: (row, seen) =>
      checkSettlement(row, chainThatSays(seen), {
        ...{ pool, pollMs: 4_000, environment: 'live', tracer: null, counted },
        onSettled: () => settledIds.push(row.id),
        heads: { head: seen.head ?? 12n, highest: seen.head ?? 12n },
      }),
  };
}

async function insertOld(
  pool: Pool,
  requiredConfirmations: number,
  txHash?: string,
): Promise<string> {
  const id = newId('settlement');
  await pool.query(
    `INSERT INTO settlement (id, authorization_id, client_id, principal_id, chain, tx_hash, asset,
       counterparty, authorized_value, currency, required_confirmations, next_check_at, outcome_id,
       created_at)
     VALUES ($1, $1, 'cli_1', 'prn_1', 'anvil', $4, 'USDC', $2, 10, 'USD', $3, now(), $1,
       now() - interval '25 hours')`,
    [id, shop, requiredConfirmations, txHash ?? id],
  );
  return id;
}

function chainThatSays(seen: Seen): Chain {
  return {
    ...{ settings, isUnavailable: false },
    head: async () => seen.head ?? 12n,
    receipt: async () => seen.receipt,
    isKnown: async () => seen.isKnown ?? false,
    hashAt: async () => seen.receipt?.block.hash ?? '0xother',
    absentUntil: async () => new Date(Date.now() - (seen.headAge ?? 0) * 3_600_000),
  };
}
