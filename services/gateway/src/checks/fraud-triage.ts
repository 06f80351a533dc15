import { invalidField, notFound } from '@countersign/kernel/fault';
import { fraudEventTypes } from '@countersign/kernel/webhook-event';
import { type Asking, callOptions } from '../call-options.js';
import type { Context } from '../context.js';
import type { Tenant } from '../request.js';

const fraudEvents: ReadonlySet<string> = new Set(fraudEventTypes);

/** Events of fraud triage exist only for a Principal in a Program that has it enabled. */
export async function checkFraudEvents(
  context: Pick<Context, 'clients' | 'clock'>,
  request: Asking & { tenant: Tenant },
  eventTypes: readonly string[],
): Promise<void> {
  const asked = eventTypes.findIndex((type) => fraudEvents.has(type));
  if (asked < 0 || (await fraudTriageEnabled(context, request))) return;
  const message = 'is only available with fraud triage enabled';
  throw invalidField(`event_types.${asked}`, 'fraud_triage_disabled', message);
}

/** To everybody else there are no cases, whether or not one was opened while there was triage. */
export async function checkFraudTriage(
  context: Pick<Context, 'clients' | 'clock'>,
  request: Asking & { tenant: Tenant },
): Promise<void> {
  if (!(await fraudTriageEnabled(context, request))) throw notFound('NOT_FOUND', 'No such case.');
}

/** True where any Program of the acting Principal has the flag. */
async function fraudTriageEnabled(
  context: Pick<Context, 'clients' | 'clock'>,
  request: Asking & { tenant: Tenant },
): Promise<boolean> {
  const { clientId, principalId } = request.tenant;
  const options = callOptions(context, request);
  const { identity } = context.clients;
  const { programIds } = await identity.call.GetPrincipal({ clientId, id: principalId }, options);
  const programs = await Promise.all(
    programIds.map((id) => identity.call.GetProgram({ clientId, id }, options)),
  );
  return programs.some((program) => program.fraudTriageEnabled);
}
