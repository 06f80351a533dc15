import { newId } from '@countersign/kernel/id';
import type { Test } from 'tap';
import { routes } from '../routes.js';
import { startOverStandIns } from './over-stand-ins.js';
import type { Answer } from './request.js';
import type { StandIns } from './stand-ins.js';
import type { Replica, World } from './world.js';

interface Sent {
  method?: string;
  body?: unknown;
  /** The status and operation that the answer must belong to. */
  is: [status: number, operation: string];
}

/** Asked by ids that another call has found to be the caller's. */
const ofNoTenant: ReadonlySet<string> = new Set(['GetAgentProfiles', 'GetUsage']);

/** The real table over stand-ins for the five services, and a Client with one Principal. */
export class Surface {
  readonly world: World;
  readonly services: StandIns;
  readonly gateway: Replica;
  readonly options: Record<string, string>;
  readonly key: string;
  readonly liveKey: string;
  readonly clientId: string;
  readonly principalId = newId('principal');
  readonly close: () => Promise<void>;
  readonly #called = new Set<string>();

  static async start(): Promise<Surface> {
    const started = await startOverStandIns();
    const { gateway, clientId } = started;
    const { api_key: liveKey } = await gateway.key(clientId, { environment: 'live' });
    return new Surface({ ...started, liveKey });
  }

  private constructor(
    parts: Pick<
      Surface,
      'world' | 'services' | 'gateway' | 'options' | 'key' | 'liveKey' | 'clientId' | 'close'
    >,
  ) {
    this.world = parts.world;
    this.services = parts.services;
    this.gateway = parts.gateway;
    this.options = parts.options;
    this.key = parts.key;
    this.liveKey = parts.liveKey;
    this.clientId = parts.clientId;
    this.close = parts.close;
    const found = { outcome: 'found', verificationStatus: 'VERIFIED' };
    this.services.on('ResolveActingPrincipal', () => ({ ...found, principalId: this.principalId }));
  }

  get tenant() {
    return { clientId: this.clientId, principalId: this.principalId };
  }

  /** Calls, and holds the answer against the row's own schema. */
  async call(t: Test, path: string, { is: [status, operation], ...sent }: Sent): Promise<Answer> {
    const before = this.services.received.length;
    const answer = await this.send(path, sent);
    t.equal(answer.status, status, `${operation}: ${answer.text}`);
    const row = routes.find((each) => each.operation === operation);
    if (row?.plane !== 'public') this.#assertTenant(t, this.services.received.slice(before));
    const schema = row?.responses[status];
    if (schema) {
      const result = schema.safeParse(answer.json);
      t.ok(result.success, `${operation} answers its schema: ${result.error}`);
      t.same(result.data, answer.json, `${operation} answers nothing else`);
    }
    this.#called.add(operation);
    return answer;
  }

  /** Whatever a service is asked for is asked for in the name of the caller. */
  #assertTenant(t: Test, received: StandIns['received']): void {
    for (const { method, environment, request } of received) {
      t.equal(environment, 'sandbox', method);
      if (ofNoTenant.has(method)) continue;
      const { clientId, principalId } = request.tenant ?? request.principal ?? request;
      t.equal(clientId, this.clientId, `${method} is told the Client`);
      if (request.tenant) t.equal(principalId, this.principalId, `${method} is told the Principal`);
    }
  }

  send(
    path: string,
    sent: { method?: string; body?: unknown; key?: string; once?: boolean } = {},
  ): Promise<Answer> {
    return this.gateway.call(`/api/v1${path}`, { key: this.key, ...sent });
  }

  /** The request that the service behind an endpoint was asked last. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape.
  asked(method: string): any {
    return this.services.requests(method).at(-1);
  }

  /** Operations of these chapters that no test has called. */
  uncalled(...tags: string[]): string[] {
    const chapter = routes.filter(({ tag }) => tags.includes(tag));
    return chapter.map((row) => row.operation).filter((each) => !this.#called.has(each));
  }
}
