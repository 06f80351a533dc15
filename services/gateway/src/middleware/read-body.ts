import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, bodyTooSlow, malformed, unsupportedMediaType } from '../errors/refusal.js';
import { JsonError, parseJson } from '../json.js';
import type { Check } from './state.js';

const defaultMaxBodyBytes = 256 * 1024;
/** Ends before the deadline of the listener for a whole request, of which no log line tells. */
const arrivalMs = 8_000;

/** Reads a JSON body, bounded and strictly; what the schema says of it comes later. */
export function readJsonBody(maxBytes = defaultMaxBodyBytes): Check {
  return async ({ req, state }) => {
    // The body of a GET means nothing, by RFC 9110; it is not even looked at.
    if (!hasBody(req) || req.method === 'GET') return;
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
  if (mediaType(req) !== 'application/json') throw unsupportedMediaType('application/json');
}

/** The type in lower case without parameters; null where a charset other than UTF-8 is named. */
export function mediaType(req: IncomingMessage): string | null {
  const header = req.headers['content-type'] ?? '';
  // As nearly everybody spells it.
  if (header === 'application/json') return header;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return type.trim();
}

/** All bytes of a body, or a refusal at the first one too many, or when they do not come. */
export function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(bodyTooLarge(maxBytes));
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
      // What is still coming is thrown away, so that the answer can be read by who sends it.
      done(() => reject(bodyTooLarge(maxBytes)));
      req.resume();
    };
    const onEnd = (): void =>
      done(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onGone = (): void => done(() => reject(malformed('The body ended too early.')));
    const late = setTimeout(() => done(() => reject(bodyTooSlow())), arrivalMs);
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
