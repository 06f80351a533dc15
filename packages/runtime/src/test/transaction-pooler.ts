import { createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';

/** Messages of PostgreSQL's protocol: a client may come in, and a query may follow. */
const authenticated = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** Of the first message of a client: its length and the version of the protocol. */
const startupHeader = 8;

/**
 * A stand-in for PgBouncer with pool_mode = transaction: all clients share one session of the
 * server, whose answers go to the client that asked last.
 */
export class TransactionPooler {
  readonly url: string;
  /** Names of the parameters with which clients connected. */
  readonly parameters = new Set<string>();
  readonly #listener: Server;
  readonly #session: Client;

  static async to(target: string): Promise<TransactionPooler> {
    const session = new Client({ connectionString: target });
    await session.connect();
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new TransactionPooler(target, session, listener);
  }

  private constructor(target: string, session: Client, listener: Server) {
    this.#session = session;
    this.#listener = listener;
    const url = new URL(target);
    const address = listener.address();
    url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    this.url = url.toString();
    // The driver has signed in; from here on it is only a socket.
    const { stream } = (session as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    let asked: Socket | null = null;
    stream.on('data', (answer: Buffer) => asked?.write(answer));
    listener.on('connection', (client) => {
      client.on('error', () => {});
      client.once('data', (startup: Buffer) => {
        const names = startup.subarray(startupHeader).toString().split('\0');
        for (const [place, name] of names.entries()) {
          if (place % 2 === 0 && name !== '') this.parameters.add(name);
        }
        client.write(Buffer.concat([authenticated, readyForQuery]));
        client.on('data', (question: Buffer) => {
          // A goodbye ends the client, not the session.
          if (question[0] === 0x58) return client.end();
          asked = client;
          return stream.write(question);
        });
      });
    });
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.#session.end();
  }
}
