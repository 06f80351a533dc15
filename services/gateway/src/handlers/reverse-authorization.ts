import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import type { reverse as body } from '../schemas/reversal.js';
import { reversalView } from '../views/reversal.js';

export const reverseAuthorization: Handler<{ body: typeof body }> = async (context, request) => {
  const { tenant, body } = request;
  const reversal = await context.clients.ledger.call.Reverse(
    {
      tenant,
      authorizationId: body.authorization_id,
      originalIdempotencyKey: body.original_idempotency_key,
      amount: body.amount,
      reason: body.reason,
      requestedBy: tenant.principalId,
      reversalId: newId('event'),
    },
    request.callOptions(),
  );
  return { status: 200, body: reversalView(reversal) };
};
