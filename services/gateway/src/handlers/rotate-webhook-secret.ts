import type { Handler } from '../handler.js';
import { present } from '../present.js';
import type { webhookPath } from '../schemas/path.js';
import { webhookView } from '../views/webhook.js';

/** For 24 hours deliveries are signed with the old secret too. */
export const rotateWebhookSecret: Handler<{
  params: typeof webhookPath;
}> = async (context, request) => {
  const { webhook, signingSecret } = await context.clients.notifier.call.RotateWebhookSecret(
    { tenant: request.tenant, id: request.params.webhook_id },
    request.callOptions(),
  );
  return {
    status: 200,
    body: { webhook: webhookView(present(webhook)), signing_secret: signingSecret },
  };
};
