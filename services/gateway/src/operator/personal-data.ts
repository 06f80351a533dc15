import type { PersonalData } from '@countersign/proto/identity';
import type { z } from 'zod';
import type { Context } from '../context.js';
import { forgetAnswersWith } from '../idempotency/rows.js';
import { profileMessage } from '../messages/principal.js';
import type { Contact } from '../schemas/principal.js';
import { parsedJson } from '../views/json.js';
import type * as answers from './answers.js';
import type { Answer, OperatorReply, OperatorRequest } from './route.js';
import type { ofPrincipal } from './schemas.js';

type OfPrincipal = z.output<typeof ofPrincipal>;

/** What a person may ask for that is held about them beside their agents and payments. */
export async function getPersonalData(
  context: Context,
  request: OperatorRequest<OfPrincipal>,
): Promise<Answer<typeof answers.personalData>> {
  const { environment, id } = request.params;
  const held = await context.clients.identity.call.GetPersonalData(
    { principalId: id },
    request.callOptions(environment),
  );
  return { status: 200, body: view(held) };
}

/** Somebody has another address or number: codes are sent there from now on. */
export async function putProfile(
  context: Context,
  request: OperatorRequest<OfPrincipal, unknown, Contact>,
): Promise<Answer<typeof answers.personalData>> {
  const { body, params } = request;
  const held = await context.clients.identity.call.PutProfile(
    { principalId: params.id, profile: profileMessage(body), stepUp: body.step_up },
    request.callOptions(params.environment),
  );
  return { status: 200, body: view(held) };
}

/** Answers of onboarding calls are kept for a day, and have the names of agents, too. */
export async function erasePersonalData(
  context: Context,
  request: OperatorRequest<OfPrincipal>,
): Promise<OperatorReply> {
  const { environment, id } = request.params;
  const { clientId } = await context.clients.identity.call.ErasePersonalData(
    { principalId: id },
    request.callOptions(environment),
  );
  await forgetAnswersWith(context.pool, { clientId, environment, id });
  return { status: 204 };
}

function view({ profile, stepUp, attestation, ...held }: PersonalData) {
  return {
    profile: profile
      ? {
          display_name: profile.displayName,
          email: profile.email,
          phone: profile.phone ?? null,
          country: profile.country ?? null,
        }
      : null,
    step_up: stepUp ? { method: stepUp.method, phone: stepUp.phone ?? null } : null,
    client_customer_ref: held.clientCustomerRef ?? null,
    attestation: attestation
      ? {
          attested_by: attestation.attestedBy,
          scope: attestation.scope,
          statement: attestation.statement,
          evidence_ref: attestation.evidenceRef || null,
        }
      : null,
    metadata: parsedJson(held.metadataJson, {}),
  };
}
