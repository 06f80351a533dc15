import type { Test } from 'tap';

/** Field for field and in this order: what goes out is the text, not the object. */
export function exact(t: Test, view: unknown, ...text: string[]): void {
  t.equal(JSON.stringify(view), text.join(''));
}
