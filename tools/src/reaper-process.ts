import { createInterface } from 'node:readline';
import { type Charge, endAll } from './ending.js';

/**
 * A process that briefly outlives its parent: when the parent ends, in whatever way, its end of the
 * pipe closes, and the children it had not ended are ended here.
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
