import { test } from 'tap';
import { inOneTurn } from './one-turn.js';

test('those who ask in one turn are served before anybody goes on', async (t) => {
  const seen: string[] = [];
  const double = inOneTurn((n: number) => {
    seen.push(`work ${n}`);
    return 2 * n;
  });
  const ask = async (n: number): Promise<number> => {
    const result = await double(n);
    seen.push(`goes on ${n}`);
    return result;
  };
  t.same(await Promise.all([ask(1), ask(2)]), [2, 4]);
  t.same(seen, ['work 1', 'work 2', 'goes on 1', 'goes on 2']);
  t.equal(await ask(3), 6, 'and the next turn after it');
});

test('work that fails for one is done for the others', async (t) => {
  const half = inOneTurn((n: number) => {
    if (n % 2 === 1) throw new Error(`${n} is odd`);
    return n / 2;
  });
  const results = await Promise.allSettled([half(4), half(3), half(2)]);
  t.match(results, [{ value: 2 }, { reason: /3 is odd/ }, { value: 1 }]);
});
