import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a node in between makes of its questions: hands them on, knows no later head, or fails. */
export type Mood = 'faithful' | 'late' | 'failing';

export interface NodeInBetween {
  url: string;
  mood: Mood;
  /** How often a method has been asked. */
  asked(method: string): number;
  stop(): void;
}

/** A node that has what it says from another one, and may be behind it. */
export async function startNodeInBetween(of: string): Promise<NodeInBetween> {
  const counts = new Map<string, number>();
  let lastHead = '0x0';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method } = JSON.parse(body);
    counts.set(method, (counts.get(method) ?? 0) + 1);
    if (node.mood === 'failing') return void response.writeHead(503).end();
    const headers = { 'content-type': 'application/json' };
    const told = await fetch(of, { method: 'POST', headers, body });
    const answer = (await told.json()) as { result?: string };
    if (method === 'eth_blockNumber') {
      if (node.mood === 'late') answer.result = lastHead;
      else lastHead = answer.result ?? lastHead;
    }
    response.writeHead(200, headers).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: NodeInBetween = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'faithful',
    asked: (method) => counts.get(method) ?? 0,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return node;
}
