import { isoTime } from '@countersign/kernel/clock';
import { isId, newId } from '@countersign/kernel/id';
import { connectivityFault } from '@countersign/runtime/connectivity';
import type { z } from 'zod';
import { withoutSecrets } from '../authentication/secrets.js';
import type { Context } from '../context.js';
import { errorReply } from '../errors/envelope.js';
import { textProblem } from '../json/text-problem.js';
import type { Pipeline, RequestContext } from '../middleware/state.js';
import type { Reply } from '../request.js';
import type * as answers from './answers.js';
import { listPage } from './page.js';
import type { Answer, OperatorRequest, OperatorRoute } from './route.js';
import type { page } from './schemas.js';

const maxPathLength = 512;
const maxBodyBytes = 16 * 1024;

interface Steps {
  checks: Pipeline;
  /** The only step that changes anything; resolves to what it has answered. */
  handle: (ctx: RequestContext) => Promise<Reply>;
}

/**
 * A whole operator call with its trail: its row is written before anything is changed, and its
 * outcome is appended. A call that was refused early gets its row then.
 */
export function audited(context: Context, row: OperatorRoute, { checks, handle }: Steps): Pipeline {
  return async (ctx) => {
    const trail = new AuditTrail(context, row);
    try {
      await checks(ctx);
      await trail.open(ctx);
      await trail.succeeded(ctx, await handle(ctx));
    } catch (error) {
      await trail.failed(ctx, error);
      throw error;
    }
  };
}

class AuditTrail {
  readonly #context: Context;
  readonly #row: OperatorRoute;
  readonly #id = newId('auditEvent');
  #opened = false;

  constructor(context: Context, row: OperatorRoute) {
    this.#context = context;
    this.#row = row;
  }

  async open(ctx: RequestContext, isRefused = false): Promise<void> {
    const { state } = ctx;
    const { personal } = this.#row;
    const isUnsure = personal !== undefined && isRefused;
    const isWithheld = isUnsure || personal === 'always';
    const params = state.params as Record<string, string> | undefined;
    await this.#context.pool.query(
      `INSERT INTO operator_audit
         (id, action, method, path, target, environment, request_id, ip, body, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        this.#id,
        this.#row.action,
        this.#row.method,
        isUnsure ? this.#row.path : withoutSecrets(ctx.path).slice(0, maxPathLength),
        isUnsure && !isId('principal', params?.id ?? '') ? null : targetOf(params),
        environmentOf(params, state.sentBody),
        state.requestId,
        state.ip,
        bodyText(ctx, isWithheld ? 0 : maxBodyBytes) ?? this.#queryText(ctx),
        new Date(this.#context.clock()),
      ],
    );
    this.#opened = true;
  }

  /** The query of a change without a body, where PostgreSQL can store it. */
  #queryText({ state: { query } }: RequestContext): string | null {
    if (this.#row.method === 'GET' || !this.#row.query || !query) return null;
    const isKept = Object.values(query).every((text) => textProblem(String(text)) === null);
    return isKept ? withoutSecrets(JSON.stringify({ query })) : null;
  }

  async succeeded(ctx: RequestContext, { body }: Reply): Promise<void> {
    const { id } = (body ?? {}) as { id?: unknown };
    const createdId = typeof id === 'string' ? id : null;
    await this.#close(ctx, { status: ctx.state.status, errorCode: null, createdId });
  }

  async failed(ctx: RequestContext, thrown: unknown): Promise<void> {
    const { requestId } = ctx.state;
    const { baseUrl } = this.#context.config;
    const error = connectivityFault(thrown);
    const { status } = errorReply(error, { requestId, baseUrl, route: undefined });
    const { code } = error as { code?: unknown };
    const errorCode = typeof code === 'string' ? code : 'INTERNAL_ERROR';
    await this.#close(ctx, { status, errorCode, createdId: null });
  }

  /** The call is answered by then; a failure here is only logged. */
  async #close(
    ctx: RequestContext,
    outcome: { status: number; errorCode: string | null; createdId: string | null },
  ): Promise<void> {
    try {
      if (!this.#opened) await this.open(ctx, true);
      await this.#context.pool.query(
        `INSERT INTO operator_audit_outcome (audit_id, status, error_code, target, created_at)
         VALUES ($1, $2, $3, $4, $5)`,
        [
          this.#id,
          outcome.status,
          outcome.errorCode,
          outcome.createdId,
          new Date(this.#context.clock()),
        ],
      );
    } catch (error) {
      this.#context.log.error({ err: error, auditId: this.#id, ...outcome }, 'audit not written');
    }
  }
}

/**
 * Null where PostgreSQL cannot store it as JSON; cut where it is long. Whatever was sent is in it,
 * also where it was refused, so it may have a secret that was pasted into the wrong field.
 */
function bodyText({ state }: RequestContext, maxBytes: number): string | null {
  if (state.sentBody === undefined || state.bodyProblems.length > 0) return null;
  const text = withoutSecrets(JSON.stringify(state.sentBody));
  return text.length <= maxBytes ? text : JSON.stringify({ omitted_bytes: text.length });
}

/**
 * The target as decoded from the path, which is not validated before the caller is authenticated.
 * Null where PostgreSQL cannot store it: a row without a target is better than none.
 */
function targetOf(params: Record<string, string> | undefined): string | null {
  const id = params?.id;
  if (id === undefined || textProblem(id) !== null) return null;
  return withoutSecrets(id).slice(0, maxPathLength);
}

function environmentOf(params: Record<string, string> | undefined, body: unknown): string | null {
  const named = params?.environment ?? (body as { environment?: unknown } | null)?.environment;
  return named === 'live' || named === 'sandbox' ? named : null;
}

interface AuditRow {
  id: string;
  action: string;
  method: string;
  path: string;
  target: string | null;
  environment: string | null;
  request_id: string;
  ip: string;
  body: unknown;
  status: number | null;
  error_code: string | null;
  created_at: Date;
}

export function listAuditEvents(
  context: Context,
  { query }: OperatorRequest<unknown, z.output<typeof page>>,
): Promise<Answer<typeof answers.auditPage>> {
  return listPage(context, query, {
    list: 'audit-events',
    of: [],
    select: `SELECT * FROM (
        SELECT a.id, a.action, a.method, a.path, coalesce(o.target, a.target) AS target,
          a.environment, a.request_id, a.ip, a.body, o.status, o.error_code, a.created_at
        FROM operator_audit a LEFT JOIN operator_audit_outcome o ON o.audit_id = a.id
      ) events WHERE true`,
    view: ({ created_at, ...row }: AuditRow) => ({
      ...row,
      created_at: isoTime(created_at.getTime()),
    }),
  });
}
