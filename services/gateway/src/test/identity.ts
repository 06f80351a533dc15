import { Fault, type FaultKind, notFound } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { type DecisionDefinition, decisionService } from '@countersign/proto/decision';
import {
  type IdentityDefinition,
  identityService,
  type Principal,
  type Program,
} from '@countersign/proto/identity';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import type { Call, Handlers } from '@countersign/runtime/grpc-types';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';

type Called = { method: string; environment: string; requestId: string; request: unknown };

/**
 * As much of the identity service as the edge asks of it, over real gRPC; the one call of the
 * decision service that the operator makes is answered by its own server.
 */
export class Identity {
  port = 0;
  decisionPort = 0;
  readonly calls: Called[] = [];
  readonly #principals = new Map<string, { clientId: string; status: string }>();
  #away: FaultKind | null = null;

  static async start(log: Logger, lifecycle: Lifecycle): Promise<Identity> {
    const identity = new Identity();
    const metrics = new Metrics('test');
    const shared = { host: '127.0.0.1', port: 0, log, lifecycle };
    identity.port = await startGrpcServer({
      transport: inTheClear,
      ...shared,
      metrics,
      service: identityService,
      handlers: identity.#handlers(),
    });
    identity.decisionPort = await startGrpcServer({
      transport: inTheClear,
      ...shared,
      metrics: new Metrics('test'),
      service: decisionService,
      handlers: {
        RotateSigningKey: async (_request: unknown, { environment }: Call) => ({
          activeKid: `active-${environment}`,
          nextKid: `next-${environment}`,
        }),
      } as unknown as Handlers<DecisionDefinition>,
    });
    return identity;
  }

  addPrincipals(clientId: string, count: number, status = 'VERIFIED'): string[] {
    return Array.from({ length: count }, () => {
      const id = newId('principal');
      this.#principals.set(id, { clientId, status });
      return id;
    });
  }

  setStatus(id: string, status: string): void {
    const principal = this.#principals.get(id);
    if (principal) principal.status = status;
  }

  /** Every call fails as if the service were not there, or in the way that is named. */
  set away(away: boolean | FaultKind) {
    this.#away = away === true ? 'unavailable' : away || null;
  }

  #handlers() {
    const handlers: Partial<Handlers<IdentityDefinition>> = {
      ResolveActingPrincipal: async (request, call) => {
        this.#called('ResolveActingPrincipal', request, call);
        return this.#resolve(request.clientId, request.principalId);
      },
      GetPrincipal: async (request, call) => {
        this.#called('GetPrincipal', request, call);
        const principal = this.#principals.get(request.id);
        if (principal?.clientId !== request.clientId) {
          throw notFound('PRINCIPAL_NOT_FOUND', 'There is no such Principal.');
        }
        return this.#view(request.id);
      },
      UpdatePrincipal: async (request, call) => {
        this.#called('UpdatePrincipal', request, call);
        const id = request.id ?? [...this.#principals.keys()][0] ?? '';
        if (!this.#principals.has(id)) throw notFound('PRINCIPAL_NOT_FOUND', 'No such Principal.');
        if (request.verificationStatus) this.setStatus(id, request.verificationStatus);
        return this.#view(id);
      },
      CreateProgram: async (request, call) => {
        this.#called('CreateProgram', request, call);
        return program({ ...request, rails: request.rails });
      },
      UpdateProgram: async (request, call) => {
        this.#called('UpdateProgram', request, call);
        return program({ ...request, clientId: 'cli_x', rails: ['card'] });
      },
    };
    // The others are never called here.
    return handlers as Handlers<IdentityDefinition>;
  }

  #called(
    method: string,
    request: unknown,
    call: { environment: string; requestId: string },
  ): void {
    if (this.#away) {
      throw new Fault(this.#away, { code: 'SERVICE_UNAVAILABLE', message: 'away' });
    }
    const { environment, requestId } = call;
    this.calls.push({ method, request, environment, requestId });
  }

  #resolve(clientId: string, named: string | undefined) {
    const own = [...this.#principals].filter(([, principal]) => principal.clientId === clientId);
    const found = named === undefined ? own : own.filter(([id]) => id === named);
    const [first] = found;
    if (!first) return { outcome: named === undefined ? 'none' : 'not_found' };
    if (found.length > 1) return { outcome: 'several' };
    return { outcome: 'found', principalId: first[0], verificationStatus: first[1].status };
  }

  #view(id: string): Principal {
    const principal = this.#principals.get(id);
    return {
      id,
      clientId: principal?.clientId ?? '',
      principalKind: 'personal',
      verificationStatus: principal?.status ?? '',
      verificationMode: 'client_attested',
      riskTier: 'LOW',
      programIds: [],
      createdAt: '2026-01-01T00:00:00.000Z',
      version: 1,
    } as unknown as Principal;
  }
}

function program(given: Partial<Program>): Program {
  return {
    name: 'Program',
    status: 'ACTIVE',
    verificationMode: 'any',
    defaultCurrency: 'USD',
    fraudTriageEnabled: false,
    metadataJson: '{}',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    version: 1,
    ...given,
  } as unknown as Program;
}
