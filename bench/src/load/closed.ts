import type { LoadJob, LoadResult } from './job.js';
import { requestMaker } from './requests.js';
import { Tally } from './tally.js';
import { Wire } from './wire.js';

/**
 * Every connection sends its next request as soon as the last is answered, until the time is over.
 */
export async function runClosed(job: LoadJob): Promise<LoadResult> {
  const make = requestMaker(job.plan, job.port);
  const wires = await openWires(job);
  const tally = new Tally();
  const endAt = performance.now() + job.durationMs;
  await Promise.all(wires.map((wire) => keepSending(wire, { make, tally, endAt })));
  const result = tally.result();
  for (const { wire } of wires) wire.close();
  return result;
}

export interface OpenWire {
  wire: Wire;
  /** Rejects when the connection breaks. */
  broken: Promise<never>;
}

export function openWires({ connections, port }: LoadJob): Promise<OpenWire[]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      let fail: (error: Error) => void = () => {};
      const broken = new Promise<never>((_, reject) => {
        fail = reject;
      });
      // The next sender gets the rejection; until then it must not count as unhandled.
      broken.catch(() => {});
      const wire = await Wire.open(port, (error) => fail(error));
      return { wire, broken };
    }),
  );
}

interface Sending {
  make: () => Buffer;
  tally: Tally;
  endAt: number;
}

function keepSending({ wire, broken }: OpenWire, { make, tally, endAt }: Sending): Promise<void> {
  const done = new Promise<void>((resolve) => {
    const next = (): void => {
      const sentAt = performance.now();
      if (sentAt >= endAt) {
        resolve();
        return;
      }
      wire.send(make(), (status, body) => {
        tally.answered(status, body, performance.now() - sentAt);
        next();
      });
    };
    next();
  });
  return Promise.race([done, broken]).catch(() => {
    tally.lost += 1;
  });
}
