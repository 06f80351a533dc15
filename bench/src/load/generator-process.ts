import { runClosed } from './closed.js';
import type { LoadJob } from './job.js';
import { runOpen } from './open.js';

/** Takes one job from its parent, runs it, and tells the result. */
process.once('message', (job: LoadJob) => {
  const run = job.model === 'open' ? runOpen : runClosed;
  run(job).then(
    (result) => tell({ result }),
    (error: unknown) => tell({ error: String(error) }),
  );
});

/** With nobody left to talk to, the process ends. */
function tell(reply: object): void {
  process.send?.(reply, undefined, {}, () => process.disconnect());
}
