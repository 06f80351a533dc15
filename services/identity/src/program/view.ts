import { plainAmount } from '@countersign/kernel/money';
import type { ProgramInput } from '@countersign/proto/identity';

type DecimalLike = string | { toString(): string };

/** A program as Prisma or a raw statement gives it. */
export interface ProgramRecord {
  id: string;
  clientId: string;
  name: string;
  status: string;
  rails: string[];
  verificationMode: string;
  defaultCurrency: string;
  ceilingPerTransaction: DecimalLike | null;
  ceilingDaily: DecimalLike | null;
  ceilingMonthly: DecimalLike | null;
  fraudTriageEnabled: boolean;
  metadataJson: string;
  version: number;
  createdAt: Date | string;
  updatedAt: Date | string;
}

export function programView(record: ProgramRecord): ProgramInput {
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
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
  };
}

function ceiling(value: DecimalLike | null): string | undefined {
  return value === null ? undefined : plainAmount(value.toString());
}
