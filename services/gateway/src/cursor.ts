import { createHmac, timingSafeEqual } from 'node:crypto';

/** The position of the last row of a page in a list ordered by (createdAt, id), newest first. */
export interface CursorPosition {
  createdAt: string;
  id: string;
}

const tagLength = 12;

/**
 * Cursors are opaque and tamper-evident: base64url of `createdAt|id` and a truncated HMAC over it
 * and the name of the list, so that one list refuses the cursors of another.
 */
export function encodeCursor(key: Buffer, list: string, position: CursorPosition): string {
  const payload = Buffer.from(`${position.createdAt}|${position.id}`);
  return Buffer.concat([tag(key, list, payload), payload]).toString('base64url');
}

/** The position, or null for anything this service did not issue for this list. */
export function decodeCursor(key: Buffer, list: string, cursor: string): CursorPosition | null {
  if (!/^[A-Za-z0-9_-]{1,512}$/.test(cursor)) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor || bytes.length <= tagLength) return null;
  const payload = bytes.subarray(tagLength);
  if (!timingSafeEqual(bytes.subarray(0, tagLength), tag(key, list, payload))) return null;
  const [createdAt, id] = payload.toString().split('|');
  return createdAt && id ? { createdAt, id } : null;
}

function tag(key: Buffer, list: string, payload: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(`${list}\n`)
    .update(payload)
    .digest()
    .subarray(0, tagLength);
}
