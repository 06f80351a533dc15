import type { IntentSubject } from '@countersign/proto/ledger';
import type { z } from 'zod';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import type { Answer, OperatorReply, OperatorRequest } from './route.js';
import type { intentSubject, ofPrincipal } from './schemas.js';

type OfPrincipal = z.output<typeof ofPrincipal>;
type Named = z.output<typeof intentSubject>;

/** Which users of which issuers of verifiable intent may speak for a Principal. */
export async function listIntentSubjects(
  context: Context,
  request: OperatorRequest<OfPrincipal>,
): Promise<Answer<typeof answers.intentSubjectList>> {
  const { environment, id } = request.params;
  const { subjects } = await context.clients.ledger.call.ListIntentSubjects(
    { principalId: id },
    request.callOptions(environment),
  );
  return { status: 200, body: { data: subjects.map(view) } };
}

export async function putIntentSubject(
  context: Context,
  request: OperatorRequest<OfPrincipal, unknown, Named>,
): Promise<Answer<typeof answers.intentSubject>> {
  const { environment, id } = request.params;
  const { identity, ledger } = context.clients;
  const options = request.callOptions(environment);
  // A change of nothing says whether there is such a Principal: the ledger does not know them.
  await identity.call.UpdatePrincipal({ id }, options);
  const subject = await ledger.call.PutIntentSubject({ principalId: id, ...request.body }, options);
  return { status: 200, body: view(subject) };
}

export async function deleteIntentSubject(
  context: Context,
  request: OperatorRequest<OfPrincipal, Named>,
): Promise<OperatorReply> {
  const { environment, id } = request.params;
  await context.clients.ledger.call.DeleteIntentSubject(
    { principalId: id, ...request.query },
    request.callOptions(environment),
  );
  return { status: 204 };
}

function view(bound: IntentSubject) {
  return {
    issuer: bound.issuer,
    subject: bound.subject,
    how: bound.how,
    bound_at: bound.boundAt,
    user_key_thumbprint: bound.userKeyThumbprint ?? null,
    authorization_id: bound.authorizationId ?? null,
  };
}
