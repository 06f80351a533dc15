import type { Environment } from '@countersign/kernel/environment';
import type { ResolveActingPrincipalResponseInput } from '@countersign/proto/identity';
import type { Context } from '../context.js';
import type { ActingPrincipalRow } from '../named-principal.js';
import { verificationStatus } from '../principal/verification.js';
import { onlyPrincipal } from '../sql.js';
import type { Handler } from './handler.js';

/**
 * Called for runtime requests whose credentials do not name a principal. A missing or ambiguous
 * principal is an outcome, not a fault.
 */
export function resolveActingPrincipal(context: Context): Handler<'ResolveActingPrincipal'> {
  return async ({ clientId, principalId }, { environment }) => {
    if (principalId === undefined) return resolveOnlyPrincipal(context, environment, clientId);
    const [named] = await context.namedPrincipal[environment]({ clientId, principalId });
    return named ? found(named, context.clock()) : { outcome: 'not_found' };
  };
}

async function resolveOnlyPrincipal(
  { stores, metrics, clock }: Context,
  environment: Environment,
  clientId: string,
): Promise<ResolveActingPrincipalResponseInput> {
  metrics.roundTrip('postgres');
  const { pool } = stores[environment];
  const { rows } = await pool.query<ActingPrincipalRow>({ ...onlyPrincipal, values: [clientId] });
  const [only, another] = rows;
  if (another) return { outcome: 'several' };
  return only ? found(only, clock()) : { outcome: 'none' };
}

function found(row: ActingPrincipalRow, nowMs: number): ResolveActingPrincipalResponseInput {
  return {
    outcome: 'found',
    principalId: row.id,
    verificationStatus: verificationStatus(row, nowMs),
  };
}
