import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test, test } from 'tap';
import { Supervisor } from './supervisor.js';
import { reportOf } from './tap-report.js';
import { runTestFile } from './test-process.js';

const supervisor = new Supervisor();
t.teardown(() => supervisor.stop());

const times = { usualMs: 60_000, graceMs: 500 };

/** The result of a file that runs these statements, with tap's `t` in scope. */
async function outcomeOf(t: Test, statements: string, within = times) {
  const folder = mkdtempSync(join(tmpdir(), 'test-file-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.test.mjs');
  writeFileSync(
    file,
    `import t from ${JSON.stringify(import.meta.resolve('tap'))};\n${statements}`,
  );
  const run = await runTestFile(file, { supervisor, env: process.env, times: within });
  return { run, ...reportOf(run) };
}

/** For files that exceed it; long enough for a busy machine to have started them. */
const brief = { ...times, usualMs: 3_000 };
t.before(async () => {
  const { run } = await outcomeOf(t, 't.ok(1);');
  brief.usualMs = Math.max(brief.usualMs, 3 * run.tookMs);
});

test('a file that passes is one line', async (t) => {
  const { passed, failed, shown } = await outcomeOf(
    t,
    `t.test('money', (t) => { t.ok(1); t.ok(2); t.end(); }); t.equal(3, 3);`,
  );
  t.same({ passed, failed }, { passed: 3, failed: 0 });
  t.match(shown, [/^ok {4}.*a\.test\.mjs {2}3 in \d+\.\d s$/]);
  t.equal(shown.length, 1);
});

test('of a file that fails it is shown what failed, and nothing else', async (t) => {
  const { run, passed, failed, shown } = await outcomeOf(
    t,
    `t.test('money is counted once', (t) => {
      t.ok(true, 'before');
      t.equal(2, 1, 'twice');
      t.ok(true, 'after');
      t.end();
    });`,
  );
  t.same({ how: run.how, passed, failed }, { how: 'code 1', passed: 2, failed: 1 });
  const text = shown.join('\n');
  for (const part of ['not ok 2 - twice', '-1', '+2', 'FAIL']) t.ok(text.includes(part), part);
  t.notMatch(text, /^ *(ok \d|1\.\.\d|# )/m);
});

/** Keeps the file running as long as it is allowed to. */
const busy = 'setInterval(() => {}, 1_000);';
const impatient = `t.setTimeout(100); ${busy}`;

const endings: Record<string, string> = {
  'that ends itself half way': `t.ok(1); t.test('rest', async () => process.exit(0));`,
  'that throws before its tests': `throw new Error('no database');`,
  'that throws between its tests': `t.ok(1); setTimeout(() => { throw new Error('late'); });`,
  'that is killed': `t.ok(1); process.kill(process.pid, 'SIGKILL');`,
  'without a check': `t.comment('nothing');`,
  'that waits for ever': `${impatient} t.ok(1); t.test('rest', () => new Promise(() => {}));`,
  'that turns in a circle': `${impatient} t.ok(1); setTimeout(() => { for (;;); }, 50);`,
};

for (const [which, statements] of Object.entries(endings)) {
  test(`a file ${which} has failed`, async (t) => {
    const { failed, shown } = await outcomeOf(t, statements);
    t.ok(failed > 0);
    t.match(shown.at(-1), /^FAIL/);
  });
}

test('a file that has done and does not end has failed', async (t) => {
  const statements = `${busy} t.teardown(() => {}); t.test('one', async (t) => t.ok(1));`;
  // It has to say what it waits for.
  const { passed, failed } = await outcomeOf(t, statements, { ...brief, graceMs: 10_000 });
  t.same({ passed, failed }, { passed: 1, failed: 1 });
});

test('a file that leaves its output to somebody else has failed', async (t) => {
  const heir = `spawn('sleep', ['600'], { detached: true, stdio: [null, 'inherit', null] })`;
  const statements = `import { spawn } from 'node:child_process'; const heir = ${heir};
    heir.unref(); console.log('heir ' + heir.pid); t.ok(1);`;
  const { run, passed, failed } = await outcomeOf(t, statements, brief);
  process.kill(Number(/heir (\d+)/.exec(run.output)?.[1]), 'SIGKILL');
  t.same({ passed, failed, how: run.how }, { passed: 1, failed: 1, how: 'out of time' });
});

test('a file may send to its parent whatever it likes', async (t) => {
  const statements = `for (const sent of [null, 0, 'text', []]) process.send(sent); t.ok(1);`;
  const { shown } = await outcomeOf(t, statements);
  t.match(shown, [/^ok/]);
});

test('a file has the time that it asks for', async (t) => {
  const wait = `await new Promise((resolve) => setTimeout(resolve, ${brief.usualMs + 1_000}));`;
  const { shown } = await outcomeOf(t, `t.setTimeout(60_000); ${wait} t.ok(1);`, brief);
  t.match(shown, [/^ok/]);
});
