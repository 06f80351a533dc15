import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@countersign/kernel/clock';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog, type Logger } from '@countersign/runtime/log';
import { createTestDatabase, testUrl, until } from '@countersign/runtime/testing';
import { createApp } from '../app.js';
import { type Config, loadConfig } from '../config.js';
import { type Context, createContext } from '../context.js';
import { listen } from '../http/http-server.js';
import { createOperatorApp } from '../operator/app.js';
import type { AnyRoute } from '../route.js';
import { Identity } from './identity.js';
import { operatorMistake } from './operator-answer.js';
import { type Answer, request, type Sent } from './request.js';
import { testRoutes } from './routes.js';

export const adminKey = 'operator-key-of-the-tests';

/** An address nobody else used: what fails from one is remembered in Redis longer than a test. */
export function newAddress(): string {
  return `10.${[...randomBytes(3)].join('.')}`;
}

/** Of what takes long on a busy machine only. */
const patientlyMs = 60_000;

interface ReplicaOptions {
  clock?: Clock;
  routes?: readonly AnyRoute[];
  log?: Logger;
  maxConnections?: number;
  /** Of both listeners, before they listen. */
  watch?: (server: Server) => void;
}

/** One database, one Redis, one identity: what the replicas of a gateway share. */
export class World {
  readonly databaseUrl: string;
  readonly identity: Identity;
  readonly log: Logger;
  /** Of the journals, one a replica. */
  readonly #folder: string;
  /** Tests that run beside each other count failed attempts of one address, each its own. */
  readonly #namespace = `test_${randomBytes(6).toString('hex')}`;
  readonly #lifecycle: Lifecycle;
  readonly #replicas: Lifecycle[] = [];
  readonly #secretsKey = randomBytes(32).toString('base64');

  static async start(): Promise<World> {
    const database = await createTestDatabase('gateway');
    const log = createLog({ service: 'gateway', level: process.env.LOG_LEVEL ?? 'silent' });
    const lifecycle = new Lifecycle(log);
    lifecycle.onShutdown('test database', () => database.drop());
    const folder = await mkdtemp(join(tmpdir(), 'gateway-'));
    lifecycle.onShutdown('test folder', () => rm(folder, { recursive: true }));
    const identity = await Identity.start(log, lifecycle);
    return new World({ databaseUrl: database.url, identity, log, lifecycle, folder });
  }

  private constructor(parts: {
    databaseUrl: string;
    identity: Identity;
    log: Logger;
    lifecycle: Lifecycle;
    folder: string;
  }) {
    this.#folder = parts.folder;
    this.databaseUrl = parts.databaseUrl;
    this.identity = parts.identity;
    this.log = parts.log;
    this.#lifecycle = parts.lifecycle;
    // Together, since each waits for a last call on its connections.
    this.#lifecycle.onShutdown('replicas', async () => {
      await Promise.all(this.#replicas.map((replica) => replica.shutdown()));
    });
  }

  config(given: Record<string, string> = {}): Config {
    const service = `127.0.0.1:${this.identity.port}`;
    return loadConfig({
      DATABASE_URL: this.databaseUrl,
      REDIS_URL: testUrl('redis'),
      NAMESPACE: this.#namespace,
      // A busy machine is not a Redis that is away; the tests of that one say so.
      REDIS_TIMEOUT_MS: '5000',
      IDENTITY_ADDRESS: service,
      DECISION_ADDRESS: `127.0.0.1:${this.identity.decisionPort}`,
      LEDGER_ADDRESS: service,
      NOTIFIER_ADDRESS: service,
      SETTLEMENT_ADDRESS: service,
      SECRETS_KEY: this.#secretsKey,
      ADMIN_KEY: adminKey,
      BASE_URL: 'https://api.test',
      // Tests speak from addresses of their own, so that they do not throttle each other.
      TRUSTED_PROXIES: '127.0.0.1',
      FAIL_SAFE_JOURNAL: join(this.#folder, `${randomBytes(6).toString('hex')}.jsonl`),
      ...given,
    });
  }

  /** One more gateway over the same stores; closed with the world. */
  async replica(
    given: Record<string, string> = {},
    options: ReplicaOptions = {},
  ): Promise<Replica> {
    const config = this.config(given);
    const log = options.log ?? this.log;
    const lifecycle = new Lifecycle(log);
    const clock = options.clock;
    const context = await createContext(config, { log, lifecycle, ...(clock && { clock }) });
    await until(() => context.redis.status === 'ready', { timeoutMs: patientlyMs, what: 'Redis' });
    await context.authentication.announcements.start(lifecycle);
    const { maxConnections = 256, watch } = options;
    const bind = { host: '127.0.0.1', port: 0, maxConnections, baseUrl: config.baseUrl, watch };
    const app = createApp(context, options.routes ?? testRoutes);
    const port = await listen(app, { ...bind, name: 'public', lifecycle });
    const operator = createOperatorApp(context);
    const internal = await listen(operator, { ...bind, name: 'operator', lifecycle });
    this.#replicas.push(lifecycle);
    return new Replica({ context, lifecycle, port, internalPort: internal });
  }

  async close(): Promise<void> {
    await this.#lifecycle.shutdown();
  }
}

export class Replica {
  readonly context: Context;
  readonly lifecycle: Lifecycle;
  readonly url: string;
  readonly internalUrl: string;
  readonly #address = newAddress();

  constructor(parts: {
    context: Context;
    lifecycle: Lifecycle;
    port: number;
    internalPort: number;
  }) {
    this.context = parts.context;
    this.lifecycle = parts.lifecycle;
    this.url = `http://127.0.0.1:${parts.port}`;
    this.internalUrl = `http://127.0.0.1:${parts.internalPort}`;
  }

  call(path: string, sent: Sent = {}): Promise<Answer> {
    const { key, token, ip = this.#address } = sent;
    const headers = {
      'X-Forwarded-For': ip,
      ...(key !== undefined && { 'X-API-Key': key }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...sent.headers,
    };
    return request(`${this.url}${path}`, { ...sent, headers });
  }

  /** A call of the operator, whose answer must be one that the table has for it. */
  operate(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#operate(path, { method, body });
  }

  /** The same where 503 may be the answer that is expected. */
  operateOnce(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#operate(path, { method, body, once: true });
  }

  async #operate(path: string, sent: Sent & { method: string }): Promise<Answer> {
    const { method } = sent;
    const headers = { 'X-Admin-Key': adminKey };
    const full = `/internal/v1${path}`;
    const answer = await request(`${this.internalUrl}${full}`, { ...sent, headers });
    const mistake = operatorMistake({ method, path: full }, answer);
    if (mistake !== null) throw new Error(mistake);
    return answer;
  }

  /** A Client with one Principal, as most tests need it. */
  async client(identity: Identity, principals = 1): Promise<{ id: string; principals: string[] }> {
    const { json } = await this.operate('POST', '/clients', { name: 'Acme' });
    return { id: json.id, principals: identity.addPrincipals(json.id, principals) };
  }

  /**
   * Pays until Redis calls the version of the credential fresh: only a call that has not taken too
   * long may say so.
   */
  async payUntilFresh(key: string, id: string): Promise<void> {
    const { gate } = this.context.authentication;
    const isFresh = async (): Promise<boolean> => {
      await this.call('/api/v1/authorize', { key, body: { amount: '1' } });
      return (await gate.look({ id, environment: 'sandbox' }, 'none')).fresh;
    };
    await until(isFresh, { timeoutMs: patientlyMs, what: 'the version to be known' });
  }

  async key(clientId: string, terms: Record<string, unknown> = {}): Promise<Answer['json']> {
    const body = { environment: 'sandbox', kind: 'api_key', ...terms };
    const answer = await this.operate('POST', `/clients/${clientId}/credentials`, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.json;
  }
}
