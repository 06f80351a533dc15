import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'tap';
import { listening } from '../testing/listening.js';
import { until } from '../testing.js';
import { guardedConnector } from './guarded-connector.js';
import { AddressRefused, UrlGuard } from './url-guard.js';

/** Lets every name pass, as if the check of what it resolves to had been bypassed. */
class BypassedGuard extends UrlGuard {
  override async publicAddresses(): Promise<string[]> {
    return ['127.0.0.1'];
  }
}

test('a connection to a non-public peer is closed, whatever was resolved', async (t) => {
  const server = createServer();
  const { port, close } = await listening(server);
  t.teardown(close);
  const guard = new BypassedGuard({ allowedHosts: [] });
  const connect = guardedConnector({ guard, connectTimeoutMs: 10_000 });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const target = { hostname: 'hooks.example', protocol: 'http:', port: String(port) };
  const error = await new Promise<Error | null>((resolve) => {
    connect(target, (...[refusal]) => resolve(refusal));
  });
  t.type(error, AddressRefused);
  const [socket] = await accepted;
  socket.resume();
  await until(() => socket.destroyed, { what: 'the connection to be closed' });
});
