import { Decimal, plainAmount } from '@countersign/kernel/money';
import type { LedgerDefinition, NamedTransaction } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import type { PrismaClient } from '../generated/prisma/client.js';
import { limitWindow } from '../limit-window.js';
import { challengesFullSql } from '../sql.js';

const zero = new Decimal(0);

/** The usage of the current windows; that of earlier windows no longer counts. */
export function getUsage(context: Context): Handlers<LedgerDefinition>['GetUsage'] {
  return async ({ mandateId, agentId, transaction }, call) => {
    const { prisma, pool } = context.stores[call.environment];
    const row = await prisma.mandateUsage.findUnique({ where: { mandateId } });
    const nowMs = context.clock();
    const now = limitWindow(nowMs);
    const day = row && row.day >= now.day ? row : null;
    const month = row && row.month >= now.month ? row : null;
    return {
      day: day?.day ?? now.day,
      month: month?.month ?? now.month,
      dailyAmount: plainAmount((day?.dayAmount ?? zero).toFixed()),
      monthlyAmount: plainAmount((month?.monthAmount ?? zero).toFixed()),
      dailyCount: Number(day?.dayCount ?? 0),
      monthlyCount: Number(month?.monthCount ?? 0),
      challengesFull: agentId !== undefined && (await areChallengesFull(pool, agentId, nowMs)),
      transactionUnknown: Boolean(transaction && (await isUnknown(prisma, transaction))),
    };
  };
}

async function areChallengesFull(pool: Pool, agentId: string, nowMs: number): Promise<boolean> {
  const { rows } = await pool.query<{ isFull: boolean }>(challengesFullSql, [
    agentId,
    new Date(nowMs),
  ]);
  return rows[0]?.isFull === true;
}

/** The same condition by which a proposal that names a transaction is refused. */
async function isUnknown(
  prisma: PrismaClient,
  { transactionId, principalId }: NamedTransaction,
): Promise<boolean> {
  const where = { transactionId, principalId };
  return !(await prisma.authorizationRecord.findFirst({ where, select: { id: true } }));
}
