import { test } from 'tap';
import { announce, type Changed, type Parts, tell } from './announcement.js';
import type { Gate } from './gate.js';

const changed: Changed[] = Array.from({ length: 1_000 }, (_, n) => ({
  id: `acr_${n}`,
  environment: 'sandbox',
  version: 2,
}));

function gate(refuses: (id: string) => boolean) {
  const asked: string[] = [];
  const announce = async ({ id }: Changed) => {
    asked.push(id);
    if (refuses(id)) throw new Error('away');
  };
  return { asked, gate: { announce } as unknown as Gate };
}

test('what could not be told is what comes back', async (t) => {
  const { asked, gate: lossy } = gate((id) => id.endsWith('7'));
  const untold = await tell(lossy, changed);
  t.same(
    untold,
    changed.filter(({ id }) => id.endsWith('7')),
  );
  t.equal(asked.length, 1_000);
  t.same(await tell(gate(() => false).gate, changed), []);
});

test('a Redis that is away is not asked about each of them', async (t) => {
  const { asked, gate: away } = gate(() => true);
  t.same(await tell(away, changed), changed);
  t.equal(asked.length, 100);
});

test('what Redis cannot be told is waited for, whatever happens to the clock', async (t) => {
  const log = { warn: () => {} };
  const waited = async (leapMs: number) => {
    const { asked, gate: away } = gate(() => true);
    const parts = { authentication: { gate: away }, log } as unknown as Parts;
    const real = Date.now.bind(Date);
    let leap = 0;
    const set = t.intercept(Date, 'now', { value: () => real() + leap });
    const startedAt = performance.now();
    const announced = announce(parts, changed.slice(0, 1));
    leap = leapMs;
    await announced;
    set.restore();
    return { ms: performance.now() - startedAt, asked: asked.length };
  };
  t.ok((await waited(3_600_000)).ms >= 4_000, 'a clock that was set forward ends nothing');
  // Redis is asked four times a second at most, so this counts no time of a slow machine.
  t.ok((await waited(-20_000)).asked <= 20, 'and one that was set back is not waited for');
});
