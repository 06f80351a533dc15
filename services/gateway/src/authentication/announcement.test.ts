import { test } from 'tap';
import { type Changed, tell } from './announcement.js';
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
