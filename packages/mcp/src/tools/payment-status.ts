import { type LogEntry, NotFoundError, PermissionError } from '@countersign/sdk';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { answer, answered } from '../answer.js';
import type { Context } from '../context.js';
import { inWords, tell } from '../words.js';
import { authorizationId, told } from './shapes.js';

const description =
  'Returns the current state of a payment that was requested before: whether a human has ' +
  'confirmed or denied it, and whether it was reversed. Changes nothing.';

export function addPaymentStatus(server: McpServer, context: Context): void {
  const annotations = { title: 'Check a payment', readOnlyHint: true, openWorldHint: false };
  const inputSchema = z.strictObject({ authorization_id: authorizationId });
  const config = { title: annotations.title, description, inputSchema, outputSchema: told };
  server.registerTool('payment_status', { ...config, annotations }, (asked, { signal }) =>
    answered(async () => {
      const entry = await ownRecord(context, asked.authorization_id, signal);
      const standing = context.declines.standingOf(entry);
      const data = await tell(context, { ...standing, isRepeated: true });
      return answer(inWords(data), data);
    }),
  );
}

/** The credential may have access to other agents' payments, but the model must not. */
export async function ownRecord(
  { countersign, agentId }: Context,
  id: string,
  signal: AbortSignal,
): Promise<LogEntry> {
  const entry = await countersign.log.get(id, { signal }).catch((error: unknown) => {
    // The model chose this id, so it is the id that is wrong, and not the configuration.
    const isForeign = error instanceof PermissionError && error.code === 'TENANT_MISMATCH';
    throw isForeign ? notOwn() : error;
  });
  if (entry.agent_id === agentId) return entry;
  throw notOwn();
}

function notOwn(): NotFoundError {
  return new NotFoundError('The payment belongs to another agent.', { code: 'NOT_FOUND' });
}
