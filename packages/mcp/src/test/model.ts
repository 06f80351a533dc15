import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Test } from 'tap';
import type { Context } from '../context.js';
import { createServer } from '../server.js';

/** A model that is connected to the tools, until the test ends. */
export async function modelOf(t: Test, context: Context): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createServer(context).connect(theirs);
  const model = new Client({ name: 'test', version: '1' });
  await model.connect(ours);
  t.teardown(() => model.close());
  return model;
}
