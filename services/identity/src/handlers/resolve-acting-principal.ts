import type { ResolveActingPrincipalResponseInput } from '@countersign/proto/identity';
import type { Context } from '../context.js';
import { verificationStatus } from '../principal/verification.js';
import { namedPrincipal, onlyPrincipal } from '../sql.js';
import type { Handler } from './handler.js';

interface Row {
  id: string;
  verificationStatus: string;
  verificationExpiresAt: Date | null;
}

/** Asked by every runtime call without a principal of its own; an answer, never a refusal. */
export function resolveActingPrincipal(context: Context): Handler<'ResolveActingPrincipal'> {
  return async ({ clientId, principalId }, { environment }) => {
    const { pool } = context.stores[environment];
    context.metrics.roundTrip('postgres');
    const { rows } =
      principalId === undefined
        ? await pool.query<Row>({ ...onlyPrincipal, values: [clientId] })
        : await pool.query<Row>({ ...namedPrincipal, values: [clientId, principalId] });
    if (rows.length === 0) return { outcome: principalId === undefined ? 'none' : 'not_found' };
    if (rows.length > 1) return { outcome: 'several' };
    return found(rows, context.clock());
  };
}

function found([row]: Row[], nowMs: number): ResolveActingPrincipalResponseInput {
  if (!row) return { outcome: 'none' };
  return {
    outcome: 'found',
    principalId: row.id,
    verificationStatus: verificationStatus(row, nowMs),
  };
}
