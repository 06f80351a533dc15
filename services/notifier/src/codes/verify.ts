import type { VerifyCodeResponse } from '@countersign/proto/notifier';
import { inTransaction, type PoolClient } from '@countersign/runtime/database';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { addChallenge, type Challenge } from './challenge.js';
import { contactOf } from './contact.js';
import { countTrySql, lockCodeSql, readCodeSql } from './sql.js';

/** Maximum wrong attempts per challenge; a constraint on the table enforces the same. */
const maxTries = 5;

/** Always accepted in the sandbox if a code would be sent, so that tests need no mailbox. */
const sandboxCode = '000000';

interface CodeRow {
  status: string;
  channel: string | null;
  code_hash: Buffer | null;
  tries: number;
  expired: boolean;
}

/**
 * Checks a code. A correct one is not consumed here: the confirmation is decided by other
 * services, which may refuse it, and which confirm no challenge twice.
 */
export async function verifyCode(
  context: Context,
  { challenge, code }: { challenge: Challenge; code: string },
  call: Call,
): Promise<VerifyCodeResponse> {
  const row = await readOrAdd(context, challenge, call);
  if (!row) return { outcome: 'no_code' };
  const ended = endOf(row);
  if (ended) return ended;
  if (!(await hasMethod(context, { row, challenge }, call))) return { outcome: 'no_code' };
  return inTransaction(context.stores[call.environment].pool, (client) =>
    judge(context, { client, challenge, code }, call),
  );
}

function endOf({ tries, expired }: CodeRow): VerifyCodeResponse | null {
  if (tries >= maxTries) return { outcome: 'exhausted' };
  return expired ? { outcome: 'expired' } : null;
}

function ownerOf({ authorizationId, clientId, principalId }: Challenge): string[] {
  return [authorizationId, clientId, principalId];
}

/** Inserts the row if the attempt arrives before the event that opens the challenge. */
async function readOrAdd(
  { stores, codeSignals }: Context,
  challenge: Challenge,
  { environment }: Call,
): Promise<CodeRow | null> {
  const { pool } = stores[environment];
  const read = () => pool.query<CodeRow>(readCodeSql, ownerOf(challenge));
  const [known] = (await read()).rows;
  if (known) return known;
  if (await addChallenge(pool, challenge)) codeSignals[environment].wake();
  return (await read()).rows[0] ?? null;
}

async function hasMethod(
  { identity, clock }: Context,
  { row, challenge }: { row: CodeRow; challenge: Challenge },
  { environment, requestId, deadlineAt }: Call,
): Promise<boolean> {
  if (row.channel !== null) return true;
  if (row.status === 'NO_METHOD') return false;
  const deadlineMs = Math.max(1, deadlineAt - clock());
  const contact = await contactOf(identity, challenge, { environment, requestId, deadlineMs });
  return contact !== null;
}

interface Guess {
  client: PoolClient;
  challenge: Challenge;
  code: string;
}

async function judge(
  { hasher }: Context,
  { client, challenge, code }: Guess,
  { environment }: Call,
): Promise<VerifyCodeResponse> {
  const { rows } = await client.query<CodeRow>(lockCodeSql, ownerOf(challenge));
  const [row] = rows;
  if (!row) return { outcome: 'no_code' };
  const ended = endOf(row);
  if (ended) return ended;
  const { authorizationId } = challenge;
  const matches =
    row.code_hash !== null && hasher.matches(code, { environment, authorizationId }, row.code_hash);
  if (matches || (environment === 'sandbox' && code === sandboxCode)) return { outcome: 'correct' };
  await client.query(countTrySql, [authorizationId]);
  return { outcome: row.tries + 1 < maxTries ? 'wrong' : 'exhausted' };
}
