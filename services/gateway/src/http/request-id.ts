import { randomUUID } from 'node:crypto';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** The request id that a caller sent, if it is well-formed, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && visibleAscii.test(header)) return header;
  return `req_${randomUUID()}`;
}
