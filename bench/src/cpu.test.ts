import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'tap';
import { cpuMsOf } from './cpu.js';

const busy = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';

test('CPU time counts what children used, also after they have ended', async (t) => {
  const child = `require('node:child_process').execFileSync(process.execPath, ['-e', \`${busy}\`])`;
  const code = `${child}; process.stdout.write('done'); setInterval(() => {}, 1e6)`;
  const parent = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  t.ok(cpuMsOf([parent.pid ?? 0]) >= 300, 'the 300 ms of the child are in it');
});
