import { test } from 'tap';
import { askedTogether, inOneTurn } from './one-turn.js';

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

test('those who ask in one turn ask one question, and each gets its own answer', async (t) => {
  const asked: number[][] = [];
  const double = askedTogether(async (numbers: readonly number[]) => {
    asked.push([...numbers]);
    return numbers.map((n) => 2 * n);
  });
  t.same(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
  t.equal(await double(4), 8);
  t.same(asked, [[1, 2, 3], [4]]);
});

test('a question that fails spoils no other answer', async (t) => {
  const half = askedTogether(async (numbers: readonly number[]) =>
    numbers.map((n) => {
      if (n % 2 === 1) throw new Error(`${n} is odd`);
      return n / 2;
    }),
  );
  const results = await Promise.allSettled([half(4), half(3), half(2)]);
  t.match(results, [{ value: 2 }, { reason: /3 is odd/ }, { value: 1 }]);
});

test('a database that is away or overloaded is not asked for each', async (t) => {
  let asked = 0;
  const overloaded = Object.assign(new Error('canceling statement'), { code: '57014' });
  const ask = askedTogether<number, number>(async () => {
    asked += 1;
    throw overloaded;
  });
  const results = await Promise.allSettled([1, 2, 3].map(ask));
  t.match(results, Array(3).fill({ reason: overloaded }));
  t.equal(asked, 1);
});

test('a question is for no more than a bounded number', async (t) => {
  const sizes: number[] = [];
  const same = askedTogether(async (numbers: readonly number[]) => {
    sizes.push(numbers.length);
    return numbers;
  });
  const numbers = Array.from({ length: 300 }, (_, n) => n);
  t.same(await Promise.all(numbers.map(same)), numbers);
  t.same(sizes, [128, 128, 44]);
});
