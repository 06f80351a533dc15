import { newId } from '@countersign/kernel/id';
import type { z } from 'zod';
import { somethingToUpdate } from '../checks/something-to-update.js';
import type { Context } from '../context.js';
import { jsonText } from '../messages/json-text.js';
import type { program as answered } from '../schemas/program.js';
import { moneyText } from '../views/money.js';
import { programView } from '../views/program.js';
import { existingClient } from './clients.js';
import type { Answer, OperatorRequest } from './route.js';
import type { newProgram, ofClient, ofProgram, programChange } from './schemas.js';

export async function createProgram(
  context: Context,
  request: OperatorRequest<z.output<typeof ofClient>, unknown, z.output<typeof newProgram>>,
): Promise<Answer<typeof answered>> {
  const { params, body } = request;
  const { environment } = body;
  const client = await existingClient(context, params.id);
  const program = await context.clients.identity.call.CreateProgram(
    { ...fields(body), id: newId('program'), clientId: client.id },
    request.callOptions(environment),
  );
  return { status: 201, body: programView(program, environment, moneyText) };
}

export async function updateProgram(
  context: Context,
  request: OperatorRequest<z.output<typeof ofProgram>, unknown, z.output<typeof programChange>>,
): Promise<Answer<typeof answered>> {
  const { params, body } = request;
  const { environment } = params;
  somethingToUpdate(body);
  const program = await context.clients.identity.call.UpdateProgram(
    { ...fields(body), id: params.id },
    request.callOptions(environment),
  );
  return { status: 200, body: programView(program, environment, moneyText) };
}

/** What is absent stays as it is, or takes its default; ceilings are replaced as a whole. */
function fields(body: z.output<typeof programChange>) {
  const ceilings = body.limit_ceilings;
  return {
    name: body.name,
    rails: body.rails,
    status: body.status,
    verificationMode: body.verification_mode,
    defaultCurrency: body.default_currency,
    limitCeilings: ceilings && {
      maxAmountPerTransaction: ceilings.max_amount_per_transaction ?? undefined,
      maxDailyAmount: ceilings.max_daily_amount ?? undefined,
      maxMonthlyAmount: ceilings.max_monthly_amount ?? undefined,
    },
    fraudTriageEnabled: body.fraud_triage_enabled,
    metadataJson: jsonText(body.metadata),
  };
}
