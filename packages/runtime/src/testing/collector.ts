import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listening } from './listening.js';
import { type ReceivedSpan, readSpans } from './otlp.js';

/** How a collector reacts to an export. */
type Manner = 'take' | 'refuse' | 'hang';

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: ReceivedSpan[];
  /** Headers of the last export. */
  headers: IncomingHttpHeaders;
  /** Number of exports so far, including rejected ones. */
  exports: number;
  behave(manner: Manner): void;
  close(): Promise<void>;
}

/** A collector of traces on loopback that stores what it receives. */
export async function startCollector(): Promise<Collector> {
  let manner: Manner = 'take';
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      collector.exports += 1;
      if (request.method !== 'POST' || request.url !== '/v1/traces') {
        response.writeHead(404).end();
        return;
      }
      if (manner === 'hang') {
        hanging.add(response);
        return;
      }
      if (manner === 'refuse') {
        response.writeHead(400).end();
        return;
      }
      collector.headers = request.headers;
      collector.spans.push(...readSpans(Buffer.concat(chunks)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  const { port, close } = await listening(server);
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    spans: [],
    headers: {},
    exports: 0,
    behave: (next) => {
      manner = next;
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    close,
  };
  return collector;
}
