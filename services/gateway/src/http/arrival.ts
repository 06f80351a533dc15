import type { IncomingMessage } from 'node:http';
import { bodyTooSlow } from '../errors/refusal.js';

/** To the end of a head, from its first byte; of the first, from the opening of the connection. */
export const headMs = 5_000;
/** The same while the server ends, which senders cannot know yet. */
export const lastCallMs = 500;
/**
 * For head and body together. A body that is late is refused before, with a line in the access log,
 * unless its head was slow, too, or what is checked before it.
 */
export const requestMs = 10_000;
/** From when the body is waited for to its end. */
export const bodyMs = 8_000;

/**
 * Who is told that a request did not arrive in time may send it again, so it is not carried out,
 * though the rest is still read and may make it whole. Asked right before it has an effect: Node
 * says so at any time until the body is whole.
 */
export function refuseIfAnswered({ socket }: IncomingMessage): void {
  if (socket.writableEnded) throw bodyTooSlow();
}
