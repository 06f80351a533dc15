import { behind, newestFirst, type Page } from '@countersign/runtime/grpc/page';
import type { FraudCase as CaseRow, PrismaClient } from '../generated/prisma/client.js';
import type { FraudCase } from './case.js';

export async function readCase(prisma: PrismaClient, id: string): Promise<FraudCase | null> {
  const row = await prisma.fraudCase.findUnique({ where: { id } });
  return row && asCase(row);
}

interface CaseQuestion {
  clientId: string;
  principalId: string;
  page: Page;
}

/** Newest first, by a range scan of one index. */
export async function readCases(
  prisma: Pick<PrismaClient, 'fraudCase'>,
  { clientId, principalId, page }: CaseQuestion,
): Promise<FraudCase[]> {
  const rows = await prisma.fraudCase.findMany({
    where: { principalId, clientId, ...behind(page) },
    orderBy: newestFirst(),
    take: page.take,
  });
  return rows.map(asCase);
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
