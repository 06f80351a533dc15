import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  nkeyAuthenticator,
} from 'nats';
import type { BusOptions } from './options.js';

type Given = Pick<BusOptions, 'url' | 'credentialsFile' | 'certFile' | 'keyFile'>;

/** Where the servers are, and as whom to connect. The library ignores both parts of a URL. */
export function accessTo(given: Given): ConnectionOptions {
  const urls = given.url.split(',').map(parsed);
  const { credentialsFile, certFile, keyFile } = given;
  const isSecure = certFile || urls.some(({ protocol }) => protocol === 'tls:');
  const clientCertificate = certFile && keyFile ? { certFile, keyFile } : {};
  return {
    servers: urls.map(({ host }) => host),
    // Without this an attacker, or a mistake, could answer tls:// with a connection in clear text.
    ...(isSecure && { tls: clientCertificate }),
    ...login(urls),
    ...(credentialsFile && { authenticator: fromFile(credentialsFile) }),
  };
}

function parsed(text: string): URL {
  const url = text.trim();
  return new URL(url.includes('://') ? url : `nats://${url}`);
}

/** As usual for NATS: `user:password@`, or a token alone, in the URL of any server. */
function login(urls: readonly URL[]): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  const { username, password } = urls.find((url) => url.username !== '') ?? {};
  if (!username) return {};
  if (!password) return { token: decoded(username) };
  return { user: decoded(username), pass: decoded(password) };
}

/** A percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Read for every connection, since the file may have been replaced; while that is not readable, the
 * last content is used. Either a `.creds` file or the seed of an nkey.
 */
function fromFile(path: string): Authenticator {
  let known = readFileSync(path);
  return (nonce) => {
    try {
      known = readFileSync(path);
    } catch {
      // The server says whether what was read before is still good.
    }
    const seed = /^SU[A-Z2-7]+$/.exec(known.toString().trim())?.[0];
    const authenticate = seed ? nkeyAuthenticator(Buffer.from(seed)) : credsAuthenticator(known);
    return authenticate(nonce);
  };
}
