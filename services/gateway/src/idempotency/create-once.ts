import { canonicalHash } from '@countersign/kernel/canonical';
import { Fault, isCallerMistake } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import type { Reply, RouteRequest } from '../request.js';
import * as rows from './rows.js';

type Store = Pick<Context, 'pool' | 'log' | 'clock'>;
type Asking = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'caller' | 'environment' | 'idempotencyKey' | 'params' | 'body' | 'deadlineAt' | 'requestId'
>;

type MintedIds = Record<string, string>;

interface Creation<I extends MintedIds> {
  operation: string;
  /** New ids for everything that would be created. */
  mint: () => I;
  /** Creates by these ids; the same ids again must give the same objects. */
  create: (ids: I) => Promise<{ status: number; body: unknown }>;
}

/** How long after its call's deadline a pending row still belongs to that call. */
const leaseMarginMs = 1_000;

/**
 * Creates once for each `Idempotency-Key` of a Client. The ids are stored before anything is
 * created, so where a process dies half way the next retry creates the same objects again by the
 * same ids, and none exists twice. Only successes are stored; a refused creation may be retried.
 */
export async function createOnce<I extends MintedIds>(
  context: Store,
  request: Asking,
  creation: Creation<I>,
): Promise<Reply> {
  const key = request.idempotencyKey;
  if (key === null) return rendered(await creation.create(creation.mint()));
  const use = {
    clientId: request.caller.clientId,
    environment: request.environment,
    key,
    bodyHash: bodyHash(creation.operation, request),
  };
  const leaseMs = Math.max(0, request.deadlineAt - context.clock()) + leaseMarginMs;
  const claim = await claimed(context, use, { minted: creation.mint(), leaseMs });
  if ('reply' in claim) return claim.reply;
  return carryOut(context, { use, claim }, () => creation.create(claim.minted as I));
}

type Claim = { minted: MintedIds; lease: string };

/** Claims the key, or returns the stored answer; throws where another call holds the key. */
async function claimed(
  { pool }: Store,
  use: rows.KeyUse,
  offer: { minted: MintedIds; leaseMs: number },
): Promise<Claim | { reply: Reply }> {
  const own = await reachable(rows.claim(pool, use, offer));
  if (own) return own;
  const other = await reachable(rows.read(pool, use));
  if (other && other.bodyHash !== use.bodyHash) {
    throw new Fault('invalid', {
      code: 'idempotency_key_reuse',
      message: 'This Idempotency-Key was already used with a different request.',
    });
  }
  if (other?.state === 'done') return { reply: textReply(other.status ?? 201, other.body ?? '') };
  throw new Fault('conflict', {
    code: 'idempotency_key_in_progress',
    message: 'A request with this Idempotency-Key is still being carried out; try again shortly.',
    retryAfterSeconds: 1,
  });
}

async function carryOut(
  context: Store,
  { use, claim }: { use: rows.KeyUse; claim: Claim },
  create: () => Promise<{ status: number; body: unknown }>,
): Promise<Reply> {
  let reply: Reply & { text: string };
  try {
    reply = rendered(await create());
  } catch (error) {
    // A refusal leaves nothing behind. After anything else the objects may exist: the row keeps
    // their ids, and the next retry need not wait for the lease.
    const leave = isCallerMistake(error) ? rows.forget : rows.release;
    await leave(context.pool, use, claim.lease).catch((err: unknown) =>
      context.log.warn({ err }, 'an idempotency row stays pending until its lease ends'),
    );
    throw error;
  }
  await rows
    .finish(context.pool, use, { lease: claim.lease, status: reply.status, body: reply.text })
    .catch((err: unknown) => context.log.warn({ err }, 'an idempotency answer could not be kept'));
  return reply;
}

/** Over resource and body: the same key on another resource is another request. */
function bodyHash(operation: string, request: Asking): string {
  return canonicalHash({ operation, params: request.params, body: request.body ?? null });
}

function rendered({ status, body }: { status: number; body: unknown }): Reply & { text: string } {
  return textReply(status, JSON.stringify(body));
}

function textReply(status: number, text: string): Reply & { text: string } {
  return { status, text };
}

async function reachable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new Fault('unavailable', {
      message: 'The request could not be taken at this moment; try again.',
      cause,
    });
  }
}
