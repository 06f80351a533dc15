import { runClosed } from './closed.js';
import type { LoadJob } from './job.js';
import { runOpen } from './open.js';

/** Receives one job from its parent, runs it, and returns the result. */
process.once('message', (job: LoadJob) => {
  const run = job.model === 'open' ? runOpen : runClosed;
  run(job).then(
    (result) => tell({ result }),
    (error: unknown) => tell({ error: String(error) }),
  );
});

/** If the parent is gone, the process ends. */
function tell(reply: object): void {
  process.send?.(reply, undefined, {}, () => process.disconnect());
}
