import type { z } from 'zod';
import type { Context } from '../context.js';
import { pageReply, pageRequest } from '../pagination.js';
import { present } from '../present.js';
import { webhookView } from '../views/webhook.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { inEnvironment, page } from './schemas.js';

/** Endpoints that get no events, so that their owners can be told. */
export async function listFailingWebhooks(
  context: Context,
  {
    params: { environment },
    query,
    callOptions,
  }: OperatorRequest<z.output<typeof inEnvironment>, z.output<typeof page>>,
): Promise<Answer<typeof answers.failingWebhookPage>> {
  const list = { name: 'operator failing-webhooks', request: { environment, query }, of: [] };
  const { failing, hasMore } = await context.clients.notifier.call.ListFailingWebhooks(
    { page: pageRequest(context, list) },
    callOptions(environment),
  );
  return pageReply(context, list, {
    items: failing.map(({ webhook, ...owner }) => ({ ...present(webhook), ...owner })),
    hasMore,
    view: ({ clientId, principalId, ...webhook }) => ({
      client_id: clientId,
      principal_id: principalId,
      ...webhookView(webhook),
    }),
  });
}
