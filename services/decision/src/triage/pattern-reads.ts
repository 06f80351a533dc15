import { isoTime } from '@countersign/kernel/clock';
import type { FraudPatternInput } from '@countersign/proto/decision';
import { behind, cutPage, newestFirst, type Page } from '@countersign/runtime/grpc/page';
import type { FraudPattern, PrismaClient } from '../generated/prisma/client.js';

interface PatternQuestion {
  /** Everybody's, unless it names a Principal. */
  of: { principalId?: string };
  page: Page;
}

/** Newest first, by a range scan of one index in either case. */
export async function patternPage(
  prisma: Pick<PrismaClient, 'fraudPattern'>,
  { of, page }: PatternQuestion,
): Promise<{ patterns: FraudPatternInput[]; hasMore: boolean }> {
  const found = await prisma.fraudPattern.findMany({
    where: { ...of, ...behind(page) },
    orderBy: newestFirst(),
    take: page.take,
  });
  const { rows, hasMore } = cutPage(found, page);
  return { patterns: rows.map(patternMessage), hasMore };
}

function patternMessage({ createdAt, ...pattern }: FraudPattern): FraudPatternInput {
  return { ...pattern, createdAt: isoTime(createdAt.getTime()) };
}
