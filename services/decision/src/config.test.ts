import { readFileSync } from 'node:fs';
import { reasons } from '@countersign/kernel/reason';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';
import { rulesPage, rulesPageFile } from './rules-page.js';

test('the README has the table of settings', (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
  t.end();
});

test('the error of a start without settings names every missing one', (t) => {
  const names = [
    'GRPC_PORT',
    'DATABASE_URL_LIVE',
    'NATS_URL',
    'IDENTITY_ADDRESS',
    'LEDGER_ADDRESS',
    'BASE_URL',
    'SECRETS_KEY',
  ];
  try {
    loadConfig({});
    t.fail('it started');
  } catch (error) {
    const problems = error instanceof SettingsError ? error.problems.join() : '';
    for (const name of names) t.match(problems, name);
  }
  t.end();
});

test('docs/rules.md is up to date', (t) => {
  t.equal(readFileSync(rulesPageFile, 'utf8'), rulesPage(), 'run: npm run regenerate');
  for (const { retry } of reasons) t.match(rulesPage(), `\n| \`${retry}\` |`, 'it is explained');
  t.end();
});
