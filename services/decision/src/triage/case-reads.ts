import { behind, newestFirst, type Page } from '@countersign/runtime/grpc/page';
import type { PrismaClient, FraudCase as StoredCase } from '../generated/prisma/client.js';
import { asCase, type CaseRow, type FraudCase } from './case.js';

export async function readCase(prisma: PrismaClient, id: string): Promise<FraudCase | null> {
  const row = await prisma.fraudCase.findUnique({ where: { id } });
  return row && asOwn(row);
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
  return rows.map(asOwn);
}

/** The cast is safe: only this service writes rows, and a check constraint limits their values. */
function asOwn(row: StoredCase): FraudCase {
  return asCase(row as unknown as CaseRow);
}
