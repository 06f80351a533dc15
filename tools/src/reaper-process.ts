import { createInterface } from 'node:readline';
import { type Charge, endAll } from './ending.js';

/**
 * A process that outlives its parent by a moment: when the parent goes, however it goes, its end of
 * the pipe closes, and what the parent had started and not yet ended is ended here.
 */
const charges = new Map<number, Charge>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line) as { add: Charge } | { remove: number };
    if ('add' in message) charges.set(message.add.pid, message.add);
    else charges.delete(message.remove);
  })
  .on('close', () => {
    void endAll([...charges.values()]).then(() => process.exit(0));
  });
