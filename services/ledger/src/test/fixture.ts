import { type Clock, isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import {
  type CommitRequest,
  type CommitResponse,
  type LedgerDefinition,
  ledgerService,
} from '@countersign/proto/ledger';
import type { Call, Handlers, Methods } from '@countersign/runtime/grpc-types';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { createTestDatabases, testUrl } from '@countersign/runtime/testing';
import { loadConfig } from '../config.js';
import { type Context, createContext } from '../context.js';
import { createHandlers } from '../handlers/index.js';
import { answerTemplate, reasonDetail, whole } from './answers.js';
import { withinToday } from './within-today.js';

type Rpcs = Methods<LedgerDefinition>;

/** The handlers with optional request fields and complete responses, as for callers. */
type Answering = {
  [K in keyof Rpcs]: (request: Parameters<Rpcs[K]>[0], call: Call) => ReturnType<Rpcs[K]>;
};

export interface Ledger {
  context: Context;
  handlers: Answering;
}

interface World {
  urls: Record<Environment, string>;
  /** Starts a ledger replica on these databases. */
  start(options?: { clock?: Clock; env?: Record<string, string> }): Promise<Ledger>;
}

/** A test or test file, at whose end resources are released. */
interface Ending {
  teardown(end: () => Promise<void>): void;
}

/** Separate databases and a separate bus namespace, removed after the test. */
export async function createWorld(t: Ending): Promise<World> {
  const databases = await createTestDatabases('ledger');
  const endings: Array<() => Promise<void>> = [];
  const namespace = `t${newId('event').slice(-12)}`;
  t.teardown(async () => {
    for (const end of endings) await end();
    await databases.drop();
  });
  return {
    urls: databases.urls,
    async start({ clock = withinToday, env = {} } = {}) {
      const log = createLog({ service: 'ledger', level: 'silent' });
      const lifecycle = new Lifecycle(log);
      endings.push(() => lifecycle.shutdown());
      const config = loadConfig({
        GRPC_PORT: '0',
        GRPC_HOST: '127.0.0.1',
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: '0',
        COMMIT_LANES: '2',
        DATABASE_URL_LIVE: databases.urls.live,
        DATABASE_URL_SANDBOX: databases.urls.sandbox,
        SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
        NATS_URL: testUrl('nats'),
        NAMESPACE: namespace,
        ...env,
      });
      const context = await createContext(config, { log, lifecycle, clock });
      return { context, handlers: overTheWire(createHandlers(context)) };
    },
  };
}

/** Encodes and decodes requests and responses, which sets the defaults of the contract. */
function overTheWire(handlers: Handlers<LedgerDefinition>): Answering {
  const answering = Object.entries(ledgerService).map(([name, method]) => {
    const handler = handlers[name as keyof Rpcs] as (
      request: unknown,
      call: Call,
    ) => Promise<object>;
    const answer = async (request: object, call: Call): Promise<unknown> => {
      const sent = method.requestSerialize(request);
      const response = await connected(() => handler(method.requestDeserialize(sent), call));
      return method.responseDeserialize(method.responseSerialize(response));
    };
    return [name, answer];
  });
  return Object.fromEntries(answering) as Answering;
}

/** Retries if no connection was available in time, as the transport does on a busy machine. */
async function connected<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 10 || (error as Fault).internal !== 'unreachable') throw error;
    }
  }
}

/** The context of a call, with a generous deadline. */
export function callOf({ context }: Ledger, environment: Environment = 'live'): Call {
  return {
    environment,
    requestId: 'req_test',
    log: context.log,
    get deadlineAt() {
      return Date.now() + 20_000;
    },
  };
}

export interface Spender {
  clientId: string;
  principalId: string;
  agentId: string;
  mandateId: string;
}

export function newSpender(given: Partial<Spender> = {}): Spender {
  return {
    clientId: newId('client'),
    principalId: newId('principal'),
    agentId: newId('agent'),
    mandateId: newId('mandate'),
    ...given,
  };
}

/** A proposal of an APPROVE of 10.00 USD. */
export function proposalOf(spender: Spender, given: Partial<CommitRequest> = {}): CommitRequest {
  const authorizationId = given.authorizationId ?? newId('authorization');
  const transactionId = given.transactionId ?? newId('transaction');
  const decision = given.decision ?? 'APPROVE';
  return {
    ...spender,
    authorizationId,
    programId: 'prg_test',
    transactionId,
    transactionGiven: false,
    answerGiven: false,
    eventIsPacked: false,
    correlationKey: transactionId,
    bodyHash: 'body',
    decision,
    reasonCodes: [],
    limitCodes: [],
    amount: '10.00',
    currency: 'USD',
    exponent: 2,
    limits: { dailyAmount: '200.00' },
    rail: 'CARD',
    seen: [],
    decidedAt: isoTime(withinToday()),
    answerHead: '',
    answerTemplate: answerTemplate(authorizationId, decision),
    answerTail: '',
    factsJson: '{"facts":"50 % of 100 %s"}',
    policyHash: 'sha256:policy',
    inputHash: 'sha256:input',
    kyaScore: 0.5,
    trustLevel: 'VERIFIED',
    riskScore: 0.25,
    viVerified: false,
    processingTimeMs: 1.5,
    eventDataJson: JSON.stringify({
      ...{ authorizationId, decision, agentId: spender.agentId, reasonDetail },
    }),
    ...given,
  };
}

/**
 * Proposes as the decision service does: the limit codes that the ledger returns become part of
 * the next proposal, until both agree. Concurrent payments may make several rounds necessary.
 */
export async function decide(ledger: Ledger, request: CommitRequest): Promise<CommitResponse> {
  const call = callOf(ledger);
  let proposal = request;
  for (let round = 0; round < 20; round += 1) {
    const response = await retryUnavailable(() => ledger.handlers.Commit(proposal, call));
    const full = response.outcome === 'challenges_full';
    if (response.outcome !== 'limits_differ' && !full) return whole(request, response);
    const limitCodes = full ? proposal.limitCodes : response.limitCodes;
    const decision = full || limitCodes.length > 0 ? 'DECLINE' : request.decision;
    const burst = full ? ['VELOCITY_BURST'] : [];
    const reasonCodes = [...request.reasonCodes, ...limitCodes, ...burst];
    const template = answerTemplate(request.authorizationId, decision);
    proposal = { ...request, decision, reasonCodes, limitCodes, answerTemplate: template };
  }
  throw new Error('the ledger rejected every proposal');
}

/**
 * Retries work that was not done because the machine was busy. With the kind `deadline` it also
 * retries work whose result is unknown, which must be safe to repeat.
 */
export async function retryUnavailable<T>(
  work: () => Promise<T>,
  kinds: readonly string[] = ['unavailable'],
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20 || !(error instanceof Fault) || !kinds.includes(error.kind)) throw error;
    }
  }
}

export async function count(ledger: Ledger, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await ledger.context.stores.live.pool.query(sql, values);
  return Number(Object.values(rows[0] ?? {})[0]);
}

/** The fault of a rejected call; throws if the call succeeds. */
export async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Fault) return error;
  throw error;
}
