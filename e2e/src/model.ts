import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const program = fileURLToPath(new URL('../../packages/mcp/dist/main.js', import.meta.url));

/** The result of a tool call: the text for the model, and the structured data. */
export interface Said {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the client has validated it by the tool's schema.
  data: any;
}

export interface Model {
  client: Client;
  call(tool: string, input?: Record<string, unknown>): Promise<Said>;
}

/** An MCP client with its own server over stdio, like the host of a model. */
export async function startModel(env: Record<string, string>): Promise<Model> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  // Fetches the tools once, so that the client knows the schemas of the results.
  await client.listTools();
  const call = async (tool: string, input: Record<string, unknown> = {}): Promise<Said> => {
    const { isError, content, structuredContent } = await client.callTool({
      name: tool,
      arguments: input,
    });
    const [first] = content as Array<{ text: string }>;
    return { isError: isError === true, text: first?.text ?? '', data: structuredContent };
  };
  return { client, call };
}
