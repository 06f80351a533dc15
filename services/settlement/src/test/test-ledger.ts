import { Fault, notFound } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import type { RecordedTransfer } from '@countersign/kernel/recorded-transfer';
import type { Tenant } from '@countersign/proto/conventions';
import {
  type AuthorizationEntry,
  type LedgerDefinition,
  ledgerService,
  type OutcomeReport,
} from '@countersign/proto/ledger';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';

/** A ledger stub over gRPC that implements the two RPCs that settlement calls. */
export interface TestLedger {
  address: string;
  /** All reported outcomes, including repeated ones. */
  reports: OutcomeReport[];
  /** If true, reports of outcomes fail. */
  unavailable: boolean;
  authorize(tenant: Tenant, over?: Partial<Approval>): string;
  stop(): Promise<void>;
}

export interface Approval extends RecordedTransfer {
  decision: string;
  rail: string;
  currency: string;
}

export async function startTestLedger(): Promise<TestLedger> {
  const log = createLog({ service: 'ledger', level: 'silent' });
  const lifecycle = new Lifecycle(log);
  const entries = new Map<string, AuthorizationEntry>();
  const ledger: TestLedger = {
    address: '',
    reports: [],
    unavailable: false,
    authorize: (tenant, over = {}) => {
      const id = newId('authorization');
      entries.set(id, entryOf(id, tenant, over));
      return id;
    },
    stop: () => lifecycle.shutdown(),
  };
  const handlers: Pick<Handlers<LedgerDefinition>, 'GetAuthorization' | 'RecordOutcomes'> = {
    async GetAuthorization({ tenant, authorizationId }) {
      const entry = entries.get(authorizationId);
      if (entry && entry.principalId === tenant?.principalId) return entry;
      if (entry?.clientId !== tenant?.clientId) throw notFound('NOT_FOUND', 'none');
      throw new Fault('forbidden', { code: 'TENANT_MISMATCH', message: 'of another Principal' });
    },
    async RecordOutcomes({ reports }) {
      if (ledger.unavailable) throw new Error('unavailable');
      const known = new Set(ledger.reports.map(({ authorizationId }) => authorizationId));
      ledger.reports.push(...reports);
      return {
        results: reports.map(({ authorizationId }) => ({
          status: known.has(authorizationId) ? 'duplicate' : 'created',
        })),
      };
    },
  };
  const port = await startGrpcServer<LedgerDefinition>({
    transport: inTheClear,
    service: ledgerService,
    handlers: handlers as Handlers<LedgerDefinition>,
    ...{ host: '127.0.0.1', port: 0, log, lifecycle },
    metrics: new Metrics('ledger'),
  });
  ledger.address = `127.0.0.1:${port}`;
  return ledger;
}

function entryOf(id: string, tenant: Tenant, over: Partial<Approval>): AuthorizationEntry {
  const { decision = 'APPROVE', rail = 'CRYPTO', currency = 'USD', ...given } = over;
  const crypto = {
    ...{ chain: 'anvil', asset: 'USDC', counterparty: '', value: '10', fromAddress: null },
    operation: 'transfer',
    ...given,
  };
  const facts = { model: 'facts-1', payment: { rail, crypto: rail === 'CRYPTO' ? crypto : null } };
  return {
    ...{ id, ...tenant, decision, rail, amount: '10.00', currency, reasonCodes: [] },
    ...{ transactionId: newId('transaction'), correlationKey: '', kyaScore: 0.8, riskScore: 0.1 },
    ...{ trustLevel: 'REGISTERED', viVerified: false, processingTimeMs: 1, decisionHistory: [] },
    ...{ stepUp: null, reversedAmount: '0', createdAt: new Date().toISOString() },
    ...{ policyHash: '', inputHash: '', answer: '', factsJson: JSON.stringify({ facts }) },
  };
}
