import { isoTime } from '@countersign/kernel/clock';
import type { DecisionInput, LedgerDefinition } from '@countersign/proto/ledger';
import { cutPage, readPage } from '@countersign/runtime/grpc/page';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { agentRecords } from '../agent-records.js';
import { thresholdsHashIn } from '../basis.js';
import type { Context } from '../context.js';
import type { Store } from '../db.js';
import type { AuthorizationRecord } from '../generated/prisma/client.js';
import { recordedAmount } from '../recorded-amount.js';

const inputColumns = {
  id: true,
  amount: true,
  currency: true,
  exponent: true,
  createdAt: true,
  facts: true,
  basisHash: true,
} as const;

type InputRow = Pick<AuthorizationRecord, keyof typeof inputColumns>;

export function listDecisionInputs(
  context: Context,
): Handlers<LedgerDefinition>['ListDecisionInputs'] {
  return async (request, call) => {
    const store = context.stores[call.environment];
    const page = readPage(request.page);
    const found = await store.prisma.authorizationRecord.findMany({
      ...agentRecords(request, page),
      select: inputColumns,
    });
    const { rows, hasMore } = cutPage(found, page);
    const bases = await bodiesOf(
      store,
      rows.map(({ basisHash }) => basisHash),
    );
    const thresholds = await bodiesOf(store, [...bases.values()].map(thresholdsHashIn));
    return {
      inputs: rows.map((row) => inputOf(row, bases.get(row.basisHash ?? ''))),
      texts: Object.fromEntries([...bases, ...thresholds]),
      hasMore,
    };
  };
}

async function bodiesOf(
  { prisma }: Store,
  named: ReadonlyArray<string | null>,
): Promise<Map<string, string>> {
  const hashes = [...new Set(named.filter((hash) => hash !== null))];
  if (hashes.length === 0) return new Map();
  const rows = await prisma.decisionBasis.findMany({ where: { hash: { in: hashes } } });
  return new Map(rows.map(({ hash, body }) => [hash, body]));
}

function inputOf(row: InputRow, basis: string | undefined): DecisionInput {
  const thresholdsHash = basis === undefined ? null : thresholdsHashIn(basis);
  return {
    authorizationId: row.id,
    amount: recordedAmount(row),
    currency: row.currency,
    createdAt: isoTime(row.createdAt.getTime()),
    factsJson: row.facts,
    basisHash: row.basisHash ?? undefined,
    thresholdsHash: thresholdsHash ?? undefined,
  };
}
