import { Fault } from '@countersign/kernel/fault';
import type { Principal } from '@countersign/proto/identity';
import type { z } from 'zod';
import { somethingToUpdate } from '../checks/something-to-update.js';
import type { Context } from '../context.js';
import { principalView } from '../views/principal.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { inEnvironment, ofPrincipal, principalChange, verificationResult } from './schemas.js';

type OfPrincipal = z.output<typeof ofPrincipal>;

/** Whose Principal an id names, and how it stands: an incident begins with no more than the id. */
export async function findPrincipal(
  context: Context,
  request: OperatorRequest<OfPrincipal>,
): Promise<Answer<typeof answers.principal>> {
  const { environment, id } = request.params;
  const principal = await context.clients.identity.call.FindPrincipal(
    { id },
    request.callOptions(environment),
  );
  return { status: 200, body: view(principal) };
}

export async function updatePrincipal(
  context: Context,
  request: OperatorRequest<OfPrincipal, unknown, z.output<typeof principalChange>>,
): Promise<Answer<typeof answers.principal>> {
  const { params, body } = request;
  somethingToUpdate(body);
  const principal = await context.clients.identity.call.UpdatePrincipal(
    { id: params.id, verificationStatus: body.verification_status, riskTier: body.risk_tier },
    request.callOptions(params.environment),
  );
  return { status: 200, body: view(principal) };
}

const timestampToleranceMs = 5 * 60_000;

/** What a verification provider found out; a message that was kept back no longer counts. */
export async function takeVerificationResult(
  context: Context,
  request: OperatorRequest<
    z.output<typeof inEnvironment>,
    unknown,
    z.output<typeof verificationResult>
  >,
): Promise<Answer<typeof answers.verification>> {
  const { params, body } = request;
  if (Math.abs(Date.parse(body.timestamp) - context.clock()) > timestampToleranceMs) {
    throw new Fault('forbidden', {
      code: 'ERROR',
      message: 'The timestamp is not of this moment.',
    });
  }
  const principal = await context.clients.identity.call.UpdatePrincipal(
    { verificationSessionId: body.verification_session_id, verificationStatus: body.status },
    request.callOptions(params.environment),
  );
  const { id, verification_status } = view(principal);
  return { status: 200, body: { principal_id: id, verification_status } };
}

/** The public view says an empty list of agents; here it would be a statement about them. */
function view(principal: Principal) {
  const { agents: _agents, ...rest } = principalView(principal);
  return rest;
}
