import type { Mandate } from '@countersign/proto/identity';
import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import type { listMandatesQuery } from '../schemas/mandate.js';
import type { agentPath } from '../schemas/path.js';
import { runtimeMandateView } from '../views/mandate.js';
import { moneyNumber } from '../views/money.js';

const maxMandates = 1_000;
/** A message has 4 MiB at most, so this bounds the answer where mandates have long lists. */
const maxMessages = 4;

/** The newest of an agent, as many as a bounded answer holds; `total` counts all. */
export const listAgentMandates: Handler<{
  params: typeof agentPath;
  query: typeof listMandatesQuery;
}> = async (context, request) => {
  const asked = {
    tenant: request.tenant,
    agentId: request.params.agent_id,
    status: request.query.status,
  };
  const mandates: Mandate[] = [];
  let total = 0;
  let before: number | undefined;
  for (let message = 0; message < maxMessages && mandates.length < maxMandates; message += 1) {
    const page = await context.clients.identity.call.ListAgentMandates(
      { ...asked, before },
      callOptions(context, request),
    );
    mandates.push(...page.mandates);
    total = page.total;
    before = page.nextBefore;
    if (before === undefined) break;
  }
  return {
    status: 200,
    body: {
      mandates: mandates.map((mandate) => runtimeMandateView(mandate, moneyNumber)),
      total,
    },
  };
};
