import { randomUUID } from 'node:crypto';
import { exactAmounts } from '../amount.js';
import { checkHeader, checkNumber } from '../checks.js';
import type { Credential } from '../credential.js';
import { ValidationError } from '../errors.js';
import type { paths } from '../generated/openapi.js';
import type { CallOptions, Method } from './call.js';
import type { Facts } from './failure.js';
import type { Transport } from './transport.js';

type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends keyof paths> = Extract<paths[P], Record<M, unknown>>[M];

type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer B } } }
  ? B
  : never;
type ParametersOf<O, In extends string> = O extends {
  parameters: { [K in In]?: infer V };
}
  ? V
  : never;
/** Response bodies of all success statuses: a list, an object, or nothing. */
type AnswerOf<O> = O extends { responses: infer R }
  ? R[keyof R] extends infer Each
    ? Each extends { content: { 'application/json': infer B } }
      ? B
      : undefined
    : never
  : never;

export interface Asked<O> {
  params?: ParametersOf<O, 'path'>;
  query?: ParametersOf<O, 'query'> | undefined;
  body?: BodyOf<O> | undefined;
  /** Whether the call may be repeated safely; by default only a GET may. */
  repeatable?: boolean;
  /** Sent as `Idempotency-Key`, which makes a creation repeatable. */
  idempotencyKey?: string;
  options?: CallOptions | undefined;
}

export interface Heard<T> {
  body: T;
  headers: Headers;
  facts: Facts;
}

/**
 * The API typed by its OpenAPI description, so that no path, body or response can drift from it.
 */
export class Wire {
  readonly #transport: Transport;
  readonly #credential: Credential | null;
  readonly #principalId: string | undefined;

  constructor(transport: Transport, credential: Credential | null, principalId?: string) {
    this.#transport = transport;
    this.#credential = credential;
    this.#principalId = principalId;
  }

  /** A copy that acts for another Principal, or for none. */
  actingFor(principalId: string | undefined): Wire {
    return new Wire(this.#transport, this.#credential, principalId);
  }

  /** A copy that sends no credential. */
  open(): Wire {
    return new Wire(this.#transport, null);
  }

  async call<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    asked: Asked<Operation<M, P>> = {},
  ): Promise<AnswerOf<Operation<M, P>>> {
    return (await this.hear(method, path, asked)).body;
  }

  async hear<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    asked: Asked<Operation<M, P>> = {},
  ): Promise<Heard<AnswerOf<Operation<M, P>>>> {
    const { options = {}, idempotencyKey, repeatable = method === 'get' } = asked;
    const principalId = options.principalId ?? this.#principalId;
    checkGiven({ ...options, principalId }, idempotencyKey);
    const answer = await this.#transport.send({
      method,
      path: filledIn(path, asked.params ?? {}) + queryText(asked.query ?? {}),
      headers: {
        ...(principalId !== undefined && this.#credential && { 'x-principal-id': principalId }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: asked.body === undefined ? null : JSON.stringify(exactAmounts(asked.body)),
      credential: this.#credential,
      repeatable: repeatable || idempotencyKey !== undefined,
      idempotencyKey: idempotencyKey ?? keyIn(asked.body),
      options,
    });
    return answer as typeof answer & { body: AnswerOf<Operation<M, P>> };
  }
}

/** Validates values that cannot be sent, which fetch would report as network failures. */
function checkGiven(options: CallOptions, idempotencyKey: string | undefined): void {
  const { principalId, requestId, timeoutMs, maxRetries } = options;
  for (const [name, value] of Object.entries({ principalId, requestId, idempotencyKey })) {
    if (value !== undefined) checkHeader(name, value);
  }
  if (timeoutMs !== undefined) checkNumber('timeoutMs', timeoutMs);
  if (maxRetries !== undefined) checkNumber('maxRetries', maxRetries);
}

export function newKey(): string {
  return randomUUID();
}

function keyIn(body: unknown): string | null {
  const { idempotency_key: key } = (body ?? {}) as { idempotency_key?: unknown };
  return typeof key === 'string' ? key : null;
}

/** The characters an id may contain; anything else might change the path. */
const segment = /^(?!\.{1,2}$)[\w.:-]{1,128}$/;

function filledIn(path: string, params: object): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, unknown>)[name];
    if (typeof value === 'string' && segment.test(value)) return value;
    const fields = [{ field: name, type: 'invalid_format', message: 'is not an id' }];
    throw new ValidationError(`${name} is not an id.`, { code: 'VALIDATION_ERROR', fields });
  });
}

function queryText(query: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
