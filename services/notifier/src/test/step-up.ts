import type { BusEvent } from '@countersign/kernel/event';
import type { Tenant } from './hook.js';
import { recorded } from './notifier.js';

export type StepUp = BusEvent<'authorization.recorded'>;

/** A STEP_UP decision for this tenant. */
export function stepUpOf(
  { clientId, principalId }: Tenant,
  { lastsMs = 300_000 }: { lastsMs?: number } = {},
): StepUp {
  const stepUpExpiresAt = new Date(Date.now() + lastsMs).toISOString();
  return { ...recorded(principalId, { decision: 'STEP_UP', stepUpExpiresAt }), clientId };
}
