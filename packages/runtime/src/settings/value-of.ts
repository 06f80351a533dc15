import { readFileSync } from 'node:fs';

/** Which forms of a server's address its client can use. */
export interface ServerForms {
  schemes: readonly string[];
  /** Also `host` or `host:port`. */
  bare?: boolean;
  /** Also the path of a socket. */
  socket?: boolean;
  /** Also several, with commas in between. */
  many?: boolean;
}

/** The error of JSON.parse quotes the text, and the value may contain secrets. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [place] = /at position \d+/.exec(String(error)) ?? [];
    throw new Error(place ? `must be JSON; it is wrong ${place}` : 'must be JSON');
  }
}

export function addressOf(text: string): string {
  const all = text.split(',').map((part) => part.trim());
  if (!all.every((part) => hostOf(part)?.port)) throw new Error('must be host:port');
  return text;
}

/** Null if this is not `host` or `host:port`; an IPv6 address is in brackets. */
function hostOf(text: string): { port: string | undefined } | null {
  const parts = /^(?:[^\s:/@[\]]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text);
  const port = parts?.[1];
  return parts && Number(port ?? 0) <= 65_535 ? { port } : null;
}

export function serverUrlOf(text: string, options: ServerForms): string {
  const { many, ...form } = options;
  if (many)
    return text
      .split(',')
      .map((part) => serverUrlOf(part.trim(), form))
      .join();
  if (options.socket && text.startsWith('/')) return text;
  if (options.bare && hostOf(text)) return text;
  const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase() ?? '';
  // `user@/name` leaves the host out, for a socket.
  const parses = URL.canParse(text) || (options.socket && URL.canParse(text.replace('@/', '@_/')));
  if (!options.schemes.includes(scheme) || !parses) {
    throw new Error(`must be a ${options.schemes.map((each) => `${each}://`).join(' or ')} URL`);
  }
  return text;
}

/** Read once here, so that a start says what is wrong with it; it may be replaced later. */
export function fileOf(path: string, pattern: RegExp): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`must be a file that can be read (${(error as { code?: string }).code})`);
  }
  if (!pattern.test(content)) throw new Error('is a file of another kind');
  return path;
}

/** The driver takes one host, and would look up the address of a list as if it were a name. */
export function databaseUrlOf(text: string): string {
  const schemes = ['postgres', 'postgresql'];
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  if (hosts.includes(',') || /[?&]host=[^&]*(,|%2c)/i.test(text)) {
    throw new Error('must name one host: a proxy or a DNS name can lead to the present primary');
  }
  try {
    return serverUrlOf(text, { schemes, socket: true });
  } catch (error) {
    const encoded = 'with a percent-encoded user and password';
    throw new Error(`${error instanceof Error ? error.message : error}, ${encoded}`);
  }
}

export function keyOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32) throw new Error('must be the base64 of 32 bytes');
  return bytes;
}

export function pairsOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([\w.-]+)\s*=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined) throw new Error('must be name=value pairs');
      try {
        return [name, decodeURIComponent(value.trim())];
      } catch {
        throw new Error('has a value that is not percent-encoded');
      }
    }),
  );
}
