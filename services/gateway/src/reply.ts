import type { Reply } from './request.js';

export const jsonType = 'application/json; charset=utf-8';

/** JSON that is text already and goes out byte for byte. */
export function jsonReply(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): Reply {
  return { status, text, headers };
}
