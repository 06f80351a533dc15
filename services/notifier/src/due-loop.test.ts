import type { Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import { test } from 'tap';
import { DueLoop } from './due-loop.js';

test('work is claimed until there is none, and again when something is due', async (t) => {
  const found = [64, 64, 1];
  let claims = 0;
  let answer = (_ms: number | null): void => {};
  let asked = 0;
  const query = async () => {
    asked += 1;
    const ms = await new Promise<number | null>((resolve) => {
      answer = resolve;
    });
    return { rows: [{ ms }] };
  };
  const loop = new DueLoop({
    ...{ signal: new WakeSignal(), nextDueSql: '', whenAway: '', whenBack: '' },
    pool: { query } as unknown as Pool,
    log: createLog({ service: 'test', level: 'silent' }),
    claim: async () => {
      claims += 1;
      return found.shift() ?? 0;
    },
  });
  loop.start();
  await until(() => asked === 1, { what: 'the question when something is due' });
  t.equal(claims, 4, 'the last one found nothing');
  found.push(1);
  answer(1);
  await until(() => asked === 2, { what: 'the same after what was due' });
  t.equal(claims, 6);
  const stopped = loop.stop();
  answer(null);
  await stopped;
});
