import type { z } from 'zod';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { signingKeyRotation } from './schemas.js';

/** The decision service's keys: NEXT becomes ACTIVE, and a new NEXT is published. */
export async function rotateSigningKeys(
  context: Context,
  request: OperatorRequest<unknown, unknown, z.output<typeof signingKeyRotation>>,
): Promise<Answer<typeof answers.signingKeys>> {
  const { environment } = request.body;
  const { activeKid, nextKid } = await context.clients.decision.call.RotateSigningKey(
    {},
    request.callOptions(environment),
  );
  context.publishedKeys.outdate(environment);
  return { status: 200, body: { active_kid: activeKid, next_kid: nextKid } };
}
