import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { decisionService } from '@countersign/proto/decision';
import { identityService } from '@countersign/proto/identity';
import { ledgerService } from '@countersign/proto/ledger';
import { notifierService } from '@countersign/proto/notifier';
import { settlementService } from '@countersign/proto/settlement';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';

const services = {
  IDENTITY_ADDRESS: identityService,
  DECISION_ADDRESS: decisionService,
  LEDGER_ADDRESS: ledgerService,
  NOTIFIER_ADDRESS: notifierService,
  SETTLEMENT_ADDRESS: settlementService,
} as const;

interface Received {
  method: string;
  environment: Environment;
  requestId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape.
  request: any;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test answers is the test's business.
type Answer = (request: any, call: Call) => unknown;

/**
 * The five services over real gRPC, answering what a test says: the surface is tested against the
 * inner contract, not against its neighbours.
 */
export class StandIns {
  /** For the gateway's configuration. */
  readonly addresses: Record<string, string> = {};
  readonly received: Received[] = [];
  readonly #answers = new Map<string, Answer>();

  static async start(log: Logger, lifecycle: Lifecycle): Promise<StandIns> {
    const standIns = new StandIns();
    for (const [variable, service] of Object.entries(services)) {
      const methods = Object.keys(service).map((method) => [method, standIns.#answering(method)]);
      const port = await startGrpcServer({
        transport: inTheClear,
        service,
        handlers: Object.fromEntries(methods),
        host: '127.0.0.1',
        port: 0,
        log,
        lifecycle,
        metrics: new Metrics('test'),
      } as never);
      standIns.addresses[variable] = `127.0.0.1:${port}`;
    }
    return standIns;
  }

  /** What a method answers from now on. */
  on(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  /** The requests a method has received, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: see Received.
  requests(method: string): any[] {
    return this.received.filter((call) => call.method === method).map(({ request }) => request);
  }

  forget(): void {
    this.received.length = 0;
  }

  #answering(method: string): Answer {
    return async (request, call) => {
      const { environment, requestId } = call;
      this.received.push({ method, environment, requestId, request });
      const answer = this.#answers.get(method);
      if (!answer) throw away(method);
      return answer(request, call);
    };
  }
}

/** The fault of a service that cannot do its work at this moment. */
export function away(what: string): Fault {
  return new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: `${what} is away.` });
}
