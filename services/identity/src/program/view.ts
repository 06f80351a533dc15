import { plainAmount } from '@countersign/kernel/money';
import type { ProgramInput } from '@countersign/proto/identity';
import type { Prisma, Program } from '../generated/prisma/client.js';

export function programView(record: Program): ProgramInput {
  return {
    id: record.id,
    clientId: record.clientId,
    name: record.name,
    status: record.status,
    rails: record.rails,
    verificationMode: record.verificationMode,
    defaultCurrency: record.defaultCurrency,
    limitCeilings: {
      maxAmountPerTransaction: ceiling(record.ceilingPerTransaction),
      maxDailyAmount: ceiling(record.ceilingDaily),
      maxMonthlyAmount: ceiling(record.ceilingMonthly),
    },
    fraudTriageEnabled: record.fraudTriageEnabled,
    metadataJson: record.metadataJson,
    version: record.version,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}

function ceiling(value: Prisma.Decimal | null): string | undefined {
  return value === null ? undefined : plainAmount(value.toString());
}
