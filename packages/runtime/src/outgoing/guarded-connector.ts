import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { AddressRefused, type UrlGuard } from './url-guard.js';

interface ConnectorOptions {
  guard: UrlGuard;
  connectTimeoutMs: number;
  /** PEM of a CA to trust instead of the system's. */
  ca?: string | undefined;
}

/**
 * Guards against DNS rebinding: names are resolved by the guard, and the socket connects to the
 * very addresses that were checked. Literals, which are not looked up, are checked before, and the
 * peer address of the open connection once more after.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs: timeout, ca } = options;
  const shared = { timeout, maxCachedSessions: 0, autoSelectFamily: true, ...(ca && { ca }) };
  const exempt = buildConnector(shared);
  const guarded = buildConnector({ ...shared, lookup: guardedLookup(guard) });
  return (target, callback) => {
    const host = target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname;
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    if (guard.isExempt(host, port)) return exempt(target, callback);
    if (isIP(target.hostname) !== 0 && !guard.isPublic(target.hostname)) {
      return callback(new AddressRefused(), null);
    }
    guarded(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (guard.isPublic((socket as Socket).remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused(), null);
    });
  };
}

type LookupCallback = (
  error: Error | null,
  address: string | Array<{ address: string; family: number }>,
  family?: number,
) => void;

function guardedLookup(guard: UrlGuard) {
  return (name: string, options: { all?: boolean | undefined }, callback: LookupCallback): void => {
    guard.publicAddresses(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all || !first) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
