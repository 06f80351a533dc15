import {
  AuthenticationError,
  ConfigurationError,
  CountersignError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  UnavailableError,
  ValidationError,
} from '@countersign/sdk';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** A tool result, as text for the model and as structured data. */
export function answer(text: string, data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data };
}

/**
 * Runs a tool. Errors become text that a model can act on. A decline of the service is not an error
 * but an ordinary result.
 */
export async function answered(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { isError: true, content: [{ type: 'text', text: inWords(error) }] };
  }
}

function inWords(error: CountersignError): string {
  const name = error.requestId === null ? '' : ` (request ${error.requestId})`;
  return `${advice(error)}${name}`;
}

function advice(error: CountersignError): string {
  const wrong = error.fields.map(({ field, message }) => `${field} ${message}`.trim()).join('; ');
  if (error instanceof ValidationError) {
    return `This cannot be asked for: ${wrong || error.message}`;
  }
  if (isSetUpWrong(error)) {
    return (
      'Countersign does not let this agent ask: its credential, COUNTERSIGN_PRINCIPAL_ID or ' +
      'COUNTERSIGN_AGENT_ID is not right. Do not pay. Tell the user; asking again does not help. ' +
      `${error.message}${wrong && ` It ${wrong}.`}`
    );
  }
  if (error instanceof NotFoundError) return 'This agent has no authorization with that id.';
  if (error instanceof RateLimitError) {
    const wait = `Wait ${error.retryAfter ?? 1} seconds, then call again.`;
    return `Too many requests, so there is no approval: do not pay. ${wait}`;
  }
  if (error instanceof UnavailableError) {
    return (
      'Countersign did not respond, so you do not know of an approval: do not pay. Call again ' +
      'with the same arguments; that never pays twice. If that does not help, tell the user.'
    );
  }
  return `This was not possible, so do not pay: ${error.message}`;
}

function isSetUpWrong(error: CountersignError): boolean {
  // The model does not choose the agent, so a wrong one is a mistake in the configuration.
  if (error.code === 'AGENT_NOT_FOUND') return true;
  return [AuthenticationError, PermissionError, ConfigurationError].some(
    (each) => error instanceof each,
  );
}
