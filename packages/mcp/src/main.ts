#!/usr/bin/env node
import { ConfigurationError } from '@countersign/sdk';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { readConfig } from './config.js';
import { createContext } from './context.js';
import { createServer } from './server.js';

/** Standard output is the protocol's alone: whatever is for a person goes to the other. */
function say(text: string): void {
  process.stderr.write(`countersign-mcp: ${text}\n`);
}

try {
  const context = createContext(readConfig(process.env));
  const server = createServer(context);
  await server.connect(new StdioServerTransport());
  // Whoever started it has gone.
  process.stdin.once('end', () => void server.close());
  say(`asking for ${context.agentId}`);
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
