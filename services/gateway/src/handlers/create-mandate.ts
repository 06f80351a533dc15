import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import { createMandateMessage } from '../messages/mandate.js';
import type { createMandate as body } from '../schemas/mandate.js';
import { runtimeMandateView } from '../views/mandate.js';
import { moneyText } from '../views/money.js';

export const createMandate: Handler<{ body: typeof body }> = async (context, request) => {
  const mandate = await context.clients.identity.call.CreateMandate(
    createMandateMessage(newId('mandate'), request.tenant, request.body),
    request.callOptions(),
  );
  return { status: 201, body: runtimeMandateView(mandate, moneyText) };
};
