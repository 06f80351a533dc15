import { invalidField, notFound } from '@countersign/kernel/fault';
import { fraudEventTypes } from '@countersign/kernel/webhook-event';
import type { Context } from '../context.js';
import type { RouteRequest } from '../request.js';

const fraudEvents: ReadonlySet<string> = new Set(fraudEventTypes);

type Checking = Pick<Context, 'clients'>;
type Acting = Pick<RouteRequest, 'tenant' | 'callOptions'>;

/** Events of fraud triage exist only for a Principal in a Program that has it enabled. */
export async function checkFraudEvents(
  context: Checking,
  request: Acting,
  named: Readonly<Record<string, string>>,
): Promise<void> {
  const asked = Object.entries(named).find(([, type]) => fraudEvents.has(type));
  if (!asked || (await fraudTriageEnabled(context, request))) return;
  const [field, type] = asked;
  throw invalidField(
    field,
    'fraud_triage_disabled',
    `${type} is only available with fraud triage enabled.`,
  );
}

/** The types of a webhook, by the fields that name them. */
export function eventTypeFields(eventTypes: readonly string[]): Record<string, string> {
  return Object.fromEntries(eventTypes.map((type, index) => [`event_types.${index}`, type]));
}

/** To everybody else there is nothing suspected, whatever was found while there was triage. */
export async function checkFraudTriage(context: Checking, request: Acting): Promise<void> {
  if (await fraudTriageEnabled(context, request)) return;
  throw notFound('NOT_FOUND', 'Cases and patterns are only available with fraud triage enabled.');
}

/** True where any Program of the acting Principal has the flag. */
async function fraudTriageEnabled(context: Checking, request: Acting): Promise<boolean> {
  const { clientId, principalId } = request.tenant;
  const options = request.callOptions();
  const { identity } = context.clients;
  const { programIds } = await identity.call.GetPrincipal({ clientId, id: principalId }, options);
  const programs = await Promise.all(
    programIds.map((id) => identity.call.GetProgram({ clientId, id }, options)),
  );
  return programs.some((program) => program.fraudTriageEnabled);
}
