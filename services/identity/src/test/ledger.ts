import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';

/** A ledger stub over real gRPC that implements only fences. */
export class TestLedger {
  /** The fences received, in order. */
  readonly fenced: Array<{ environment: Environment; entityId: string; version: number }> = [];
  /** The revoked agents received, in order. */
  readonly denied: string[] = [];
  /** Runs before a fence is accepted; may wait or throw. */
  before: () => Promise<void> | void = () => {};
  #lifecycle: Lifecycle | null = null;
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Starts, or restarts on the same port. */
  async start(): Promise<void> {
    const log = createLog({ service: 'ledger', level: 'silent' });
    this.#lifecycle = new Lifecycle(log);
    const only: Pick<Handlers<LedgerDefinition>, 'Fence'> = {
      Fence: async ({ entities, revokedAgentIds }, { environment }) => {
        await this.before();
        for (const { entityId, version } of entities) {
          this.fenced.push({ environment, entityId, version });
        }
        this.denied.push(...revokedAgentIds);
        return {};
      },
    };
    this.#port = await startGrpcServer({
      transport: inTheClear,
      service: ledgerService,
      handlers: only as Handlers<LedgerDefinition>,
      host: '127.0.0.1',
      port: this.#port,
      log,
      metrics: new Metrics('ledger'),
      lifecycle: this.#lifecycle,
    });
  }

  async stop(): Promise<void> {
    await this.#lifecycle?.shutdown();
  }

  /** Rejects every fence until `accept` is called. */
  refuse(): void {
    this.before = () => {
      throw new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'not now' });
    };
  }

  accept(): void {
    this.before = () => {};
  }

  /** The version of the last fence of an entity, or undefined. */
  versionOf(entityId: string): number | undefined {
    return this.fenced.filter((fence) => fence.entityId === entityId).at(-1)?.version;
  }
}
