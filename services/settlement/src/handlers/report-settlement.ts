import { Fault, invalidField } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { oneOf } from '@countersign/kernel/one-of';
import type { RecordedTransfer } from '@countersign/kernel/recorded-transfer';
import type { ReportSettlementRequest, SettlementDefinition } from '@countersign/proto/settlement';
import { databaseTime } from '@countersign/runtime/database/database-time';
import { withDeadline } from '@countersign/runtime/deadline';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Call, Handlers } from '@countersign/runtime/grpc-types';
import { approvedAuthorization } from '../approved.js';
import type { Chain } from '../chain.js';
import { type Asset, assetOf, type ChainSettings } from '../chain-settings.js';
import { checkSettlement, readHeads } from '../check.js';
import type { Context } from '../context.js';
import { enabledChains } from '../enabled-chains.js';
import { Prisma } from '../generated/prisma/client.js';
import { readOpenRow } from '../open-row.js';
import { toRecord } from '../settlement.js';
import { requireFewUnseen } from '../unseen.js';

/** The part of the caller's deadline that is reserved for responding if the chain is slow. */
const responseReserveMs = 500;
const uniqueViolation = 'P2002';

/**
 * Records the report and checks the chain once; the watcher does all further checks. Idempotent: a
 * repeated report of a transaction returns the existing settlement.
 */
export function reportSettlement(
  context: Context,
): Handlers<SettlementDefinition>['ReportSettlement'] {
  return async (request, call) => {
    const { clientId, principalId } = tenantOf(request);
    const { settlement } = context.stores[call.environment].prisma;
    const chains = enabledChains(context, call);
    const chain = chains.get(request.chain);
    if (!chain) throw unknownChain(chains);
    const { authorizationId } = request;
    const txHash = request.txHash.toLowerCase();
    const where = { authorizationId_txHash: { authorizationId, txHash } };
    const existing = await settlement.findUnique({ where });
    if (existing?.clientId === clientId && existing.principalId === principalId) {
      return { settlement: toRecord(existing), created: existing.id === request.id };
    }
    await addSettlement(context, { request, call, chain });
    await checkImmediately(context, { call, chain, id: request.id });
    const row = await settlement.findUniqueOrThrow({ where });
    return { settlement: toRecord(row), created: row.id === request.id };
  };
}

interface Report {
  request: ReportSettlementRequest;
  call: Call;
  chain: Chain;
}

async function addSettlement(context: Context, { request, call, chain }: Report): Promise<void> {
  const { settings } = chain;
  const { currency, transfer } = await approvedAuthorization(context, request, call);
  const asset = supportedAsset(settings, transfer);
  await requireFewUnseen(context.stores[call.environment].pool, request);
  const now = await databaseTime(context.stores[call.environment].pool);
  try {
    await context.stores[call.environment].prisma.settlement.create({
      data: {
        id: request.id,
        authorizationId: request.authorizationId,
        ...tenantOf(request),
        chain: settings.name,
        txHash: request.txHash.toLowerCase(),
        asset: asset.symbol,
        counterparty: transfer.counterparty,
        authorizedValue: transfer.value,
        authorizedFrom: transfer.fromAddress,
        currency,
        fromAddress: request.fromAddress ?? null,
        toAddress: request.toAddress ?? null,
        valueRaw: request.valueRaw ?? null,
        requiredConfirmations: settings.confirmations,
        // Gives this call time for the first check before the watcher takes over.
        nextCheckAt: new Date(now.getTime() + context.config.chainPollMs),
        outcomeId: newId('outcome'),
        ...(call.trace && { trace: { ...call.trace.carrier } }),
        createdAt: now,
      },
    });
  } catch (error) {
    await explainConflict(context, { request, call, chain }, error);
  }
}

/** Chains or assets in a message. */
const maxNamed = 20;

function unknownChain(chains: ReadonlyMap<string, Chain>): Fault {
  const use = oneOf([...chains.keys()], { most: maxNamed });
  const message = `This chain is not supported; use ${use}.`;
  return invalidField('chain', 'unknown_chain', message);
}

/** Throws 422 unless the transfer is of an asset of this chain. */
function supportedAsset(settings: ChainSettings, transfer: RecordedTransfer): Asset {
  if (transfer.chain !== settings.name) {
    const message = `The authorization is for the chain ${transfer.chain}.`;
    throw invalidField('chain', 'chain_mismatch', message);
  }
  const asset = assetOf(settings, transfer.asset);
  if (asset) return asset;
  const use = oneOf([...settings.assets.keys()], { most: maxNamed });
  const message = `${transfer.asset} is not supported on ${settings.name}; use ${use}.`;
  throw invalidField('chain', 'unknown_asset', message);
}

/** Throws unless the conflict is with a concurrent report of the same transaction. */
async function explainConflict(context: Context, report: Report, error: unknown): Promise<void> {
  const { request, call, chain } = report;
  const isKnownError = error instanceof Prisma.PrismaClientKnownRequestError;
  if (!isKnownError || error.code !== uniqueViolation) throw error;
  const { settlement } = context.stores[call.environment].prisma;
  const txHash = request.txHash.toLowerCase();
  const own = await settlement.findFirst({
    where: { authorizationId: request.authorizationId, txHash, ...tenantOf(request) },
  });
  if (own) return;
  const minedFor = await settlement.findFirst({
    where: { chain: chain.settings.name, txHash, status: { in: ['PENDING', 'SETTLED'] } },
  });
  const or = minedFor ? '' : '; if it does not pay that one, try again once it has been mined';
  throw new Fault('malformed', {
    code: 'BAD_REQUEST',
    message: `The transaction has been reported for another authorization${or}.`,
  });
}

/** If the chain does not respond in time, the settlement remains SUBMITTED for the watcher. */
async function checkImmediately(
  context: Context,
  { call, chain, id }: { call: Call; chain: Chain; id: string },
): Promise<void> {
  const pool = context.stores[call.environment].pool;
  const row = await readOpenRow(pool, id);
  if (!row) return;
  const parts = {
    ...{ pool, pollMs: context.config.chainPollMs },
    ...{ tracer: context.tracer, counted: context.counted, environment: call.environment },
    onSettled: () => context.settled[call.environment].wake(),
  };
  const check = async (): Promise<void> => {
    const heads = await readHeads(chain, parts);
    await checkSettlement(row, chain, { ...parts, heads });
  };
  const failed = (error: unknown): void => {
    call.log.warn({ err: error, settlementId: id }, 'the first check of the settlement failed');
  };
  const ms = call.deadlineAt - Date.now() - responseReserveMs;
  // Only the deadline can fail it now, and what that means is the watcher's to find out.
  await withDeadline(check().catch(failed), { ms, what: 'the chain' }).catch(() => {});
}
