#!/usr/bin/env node
import { ConfigurationError } from '@countersign/sdk';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { readConfig } from './config.js';
import { createContext } from './context.js';
import { createServer } from './server.js';

/** Standard output is reserved for the protocol; messages for humans go to standard error. */
function say(text: string): void {
  process.stderr.write(`countersign-mcp: ${text}\n`);
}

try {
  const context = createContext(readConfig(process.env));
  const server = createServer(context);
  // The transport answers nothing to what it cannot read, and closes if a message is too long.
  server.server.onerror = ({ message }) => say(`a message was not understood: ${message}`);
  server.server.onclose = () => {
    if (!process.stdin.readableEnded) process.exitCode = 1;
  };
  await server.connect(new StdioServerTransport());
  // A host that reads no more has ended, or will never see an answer.
  process.stdout.once('error', ({ message }) => {
    say(`the answers are not read any more: ${message}`);
    process.exitCode = 1;
    void server.close();
  });
  // The host process has closed the connection.
  process.stdin.once('end', () => void server.close());
  say(`serving agent ${context.agentId}`);
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
