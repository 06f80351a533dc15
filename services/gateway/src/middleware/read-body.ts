import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, bodyTooSlow, malformed, unsupportedMediaType } from '../errors/refusal.js';
import { bodyMs } from '../http/arrival.js';
import { parseJson } from '../json/parse.js';
import { JsonError } from '../json/value.js';
import type { Check } from './state.js';

const defaultMaxBodyBytes = 256 * 1024;

/** Reads and strictly parses a JSON body of bounded size; the schema is checked later. */
export function readJsonBody(maxBytes = defaultMaxBodyBytes): Check {
  return async ({ req, state }) => {
    // The body of a GET or HEAD has no meaning, by RFC 9110, and is ignored.
    if (!hasBody(req) || req.method === 'GET' || req.method === 'HEAD') return;
    requireIdentityEncoding(req);
    const waitsSince = performance.now();
    const bytes = await readBytes(req, maxBytes);
    state.bodyMs = performance.now() - waitsSince;
    if (bytes.length === 0) return;
    requireJson(req);
    const { value, problems } = parse(bytes);
    state.rawBody = bytes;
    state.sentBody = value;
    state.bodyProblems = problems;
  };
}

function parse(bytes: Buffer) {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw malformed(error.message);
    throw error;
  }
}

/** Without either header a message has no body, by RFC 9112. */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function requireIdentityEncoding(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    throw unsupportedMediaType('sent without a Content-Encoding');
  }
}

function requireJson(req: IncomingMessage): void {
  requireMediaType(req, ['application/json']);
}

/** The type in lower case, which is one of those; throws where it is not or not in UTF-8. */
export function requireMediaType(req: IncomingMessage, accepted: readonly string[]): string {
  const header = req.headers['content-type'] ?? '';
  // Fast path for the usual spelling.
  if (header === 'application/json' && accepted.includes(header)) return header;
  const [media = '', ...parameters] = header.toLowerCase().split(';');
  const type = media.trim();
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted.join(' or '));
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupportedMediaType('in UTF-8; no other charset is accepted');
  }
  return type;
}

/** All bytes of a body; rejects where it is too large or does not arrive in time. */
export function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(bodyTooLarge(maxBytes));
  // It was given up while its caller was looked up, and has no more events.
  if (req.destroyed) return Promise.reject(endedEarly());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const done = (settle: () => void): void => {
      clearTimeout(late);
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest is discarded, so that the sender gets to read the answer.
      done(() => reject(bodyTooLarge(maxBytes)));
      req.resume();
    };
    const onEnd = (): void =>
      done(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onGone = (): void => done(() => reject(endedEarly()));
    const late = setTimeout(() => done(() => reject(bodyTooSlow())), bodyMs);
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function endedEarly(): Error {
  return malformed('The body ended too early.');
}
