import { readFile } from 'node:fs/promises';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { startPaying } from './paying.js';
import type { Answer } from './request.js';
import type { Replica } from './world.js';

const paying = await startPaying();
file.teardown(() => paying.close());
const { world, services, options, body, authorize } = paying;

const smallest = { ...options, FAIL_SAFE_JOURNAL_MAX_BYTES: '1048576' };
/** As much as a free object may hold: a hundred of these are more than the smallest journal. */
const metadata = { note: 'n'.repeat(16_000) };

/** Unlike a service that is away, one that fails is not asked again. */
function fail(): never {
  throw new TypeError('a mistake of ours');
}

async function refused(replica: Replica, reason: string): Promise<number> {
  const text = await replica.context.metrics.registry.metrics();
  const line = new RegExp(
    `^countersign_fail_safe_refused_total{.*reason="${reason}".*} (\\d+)$`,
    'm',
  );
  return Number(line.exec(text)?.[1]);
}

/** Payments that an outage or a defect left without a decision. */
async function undecided(replica: Replica): Promise<number> {
  const text = await replica.context.metrics.registry.metrics();
  const line = /^countersign_http_public_failed_total{.*path="\/api\/v1\/authorize".*} (\d+)$/m;
  return Number(line.exec(text)?.[1] ?? 0);
}

function isRefusal(answer: Answer): boolean {
  const { code } = answer.json?.error ?? {};
  const wait = Number(answer.headers.get('retry-after'));
  const [limit, left] = ['limit', 'remaining'].map((name) =>
    answer.headers.get(`x-ratelimit-${name}`),
  );
  const told = wait >= 1 && limit === '50' && left === '0';
  return answer.status === 429 && code === 'RATE_LIMITED' && told;
}

test('no answer is given that the journal has no room for', async (t) => {
  const replica = await world.replica(smallest, { routes });
  services.on('Authorize', fail);
  const answers: Answer[] = [];
  while (answers.length < 100) {
    const sent = { ...body, metadata, idempotency_key: `full-${answers.length}0000` };
    answers.push(await authorize(sent, replica));
  }
  const given = answers.filter(({ status }) => status === 200);
  const others = answers.filter(({ status }) => status !== 200);
  t.ok(given.length > 0 && others.length > 0, `${given.length} given, ${others.length} refused`);
  const journal = await readFile(replica.context.config.failSafeJournal, 'utf8');
  t.ok(
    given.every(({ json }) => journal.includes(json.authorization_id)),
    'what was answered is on disk',
  );
  t.ok(others.every(isRefusal), 'what was not says that it is to be asked again');
  t.equal(await refused(replica, 'full'), others.length);
  t.equal(await undecided(replica), others.length);

  services.on('Authorize', () => ({ answer: '{"decision":"APPROVE"}' }));
  const last = { ...body, metadata, idempotency_key: 'full-990000' };
  t.equal((await authorize(last, replica)).text, '{"decision":"APPROVE"}', 'nothing was decided');
});

test('nor one that the disk does not take', async (t) => {
  const replica = await world.replica(options, { routes });
  services.on('Authorize', fail);
  // Its file is gone from under it: every write fails from now on.
  await replica.context.failSafeJournal.close();
  t.ok(isRefusal(await authorize(body, replica)));
  t.equal(await refused(replica, 'unwritable'), 1);
  t.equal(await undecided(replica), 1);
  t.equal(await refused(replica, 'full'), 0);
});

test('a repeat that waits for a refused request is refused with it', async (t) => {
  const replica = await world.replica(options, { routes });
  await replica.context.failSafeJournal.close();
  let asked = (): void => {};
  const first = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  services.forget();
  services.on('Authorize', async () => {
    asked();
    await held;
    fail();
  });
  const sent = { ...body, idempotency_key: 'refused-0001' };
  const answers = [authorize(sent, replica)];
  await first;
  answers.push(authorize(sent, replica));
  release();
  for (const answer of await Promise.all(answers)) t.ok(isRefusal(answer), answer.text);
});
