import type { Position } from '@countersign/proto/conventions';
import type { FraudCase as CaseRow, Prisma, PrismaClient } from '../generated/prisma/client.js';
import type { FraudCase } from './case.js';

export async function readCase(prisma: PrismaClient, id: string): Promise<FraudCase | null> {
  const row = await prisma.fraudCase.findUnique({ where: { id } });
  return row && asCase(row);
}

export interface CaseQuestion {
  clientId: string;
  principalId: string;
  after: Position | null;
  take: number;
}

/** Newest first, by a range scan of one index. */
export async function readCases(
  prisma: Pick<PrismaClient, 'fraudCase'>,
  { clientId, principalId, after, take }: CaseQuestion,
): Promise<FraudCase[]> {
  const rows = await prisma.fraudCase.findMany({
    where: { principalId, clientId, ...(after && afterCursor(after)) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take,
  });
  return rows.map(asCase);
}

/** The index can seek to the bound on created_at alone; the OR excludes rows of the same time. */
function afterCursor({ createdAt: text, id }: Position): Prisma.FraudCaseWhereInput {
  const createdAt = new Date(text);
  return {
    createdAt: { lte: createdAt },
    OR: [{ createdAt: { lt: createdAt } }, { id: { lt: id } }],
  };
}

/** The cast is safe: only this service writes rows, and a check constraint limits their values. */
function asCase(row: CaseRow): FraudCase {
  const { resolvedAt, createdAt } = row;
  return {
    ...(row as unknown as FraudCase),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
