import type { IncomingMessage } from 'node:http';
import { malformed, unmetExpectation } from '../errors/refusal.js';

/** A host and a port, as far as RFC 3986 has characters for them; empty where there is none. */
const hostField = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** What HTTP demands of every request, and Node either lets pass or refuses without an envelope. */
export function checkHead(request: IncomingMessage): void {
  const { host, expect } = request.headers;
  // Neither field is part of HTTP/1.0.
  if (request.httpVersion === '1.0') return;
  if (host === undefined || hostFields(request) > 1 || !hostField.test(host)) {
    throw malformed('A request must have one valid Host header.');
  }
  if (expect !== undefined && !/\b100-continue\b/i.test(expect)) throw unmetExpectation();
}

/** Node keeps the first of them. */
function hostFields({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
