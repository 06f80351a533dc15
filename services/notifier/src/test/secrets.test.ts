import t, { test } from 'tap';
import { createHook } from './hook.js';
import { callOptions } from './notifier.js';
import { startProcess } from './process.js';
import { newProcessSite } from './process-site.js';
import { startReceiver } from './receiver.js';

// One process over these databases: another would carry out some of the attempts, or all of them,
// and log them elsewhere.
const { env, pool } = await newProcessSite({ LOG_LEVEL: 'trace' });

test('secrets are neither logged nor stored in plain text', async (t) => {
  const service = await startProcess(env);
  const target = await startReceiver(500);
  const url = `${target.url}?token=in-the-url`;
  const { id, tenant, secret: first } = await createHook(service.call, { url });
  const { signingSecret: second } = await service.call.RotateWebhookSecret(
    { id, tenant },
    callOptions,
  );
  await service.call.TestWebhook({ id, tenant, eventType: 'gate.fired' }, callOptions);
  await target.count(5);
  t.equal(await service.end(), 0);
  const output = service.output();
  t.equal(output.match(/delivery attempted/g)?.length, 5, 'each attempt is in the log');
  for (const secret of [first, second, env.SECRETS_KEY, 'in-the-url']) {
    t.notOk(output.includes(String(secret)), 'not in the log');
  }
  const { rows } = await pool.query('SELECT w::text AS row FROM webhook w');
  t.equal(rows.length, 1);
  const stored = JSON.stringify(rows);
  const hex = (text: string) => Buffer.from(text).toString('hex');
  for (const secret of [first, second]) {
    t.notOk(
      stored.includes(secret) || stored.includes(hex(secret)),
      'not in plain text in the database',
    );
  }
  await target.close();
});

t.end();
