import { readFileSync } from 'node:fs';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';
import { rulesPage, rulesPageFile } from './rules-page.js';

test('the README explains every variable with its default', (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
  t.end();
});

test('a start without settings names everything that is missing', (t) => {
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

test('docs/rules.md says what the engine does', (t) => {
  t.equal(readFileSync(rulesPageFile, 'utf8'), rulesPage(), 'npm run rules-page writes it anew');
  t.end();
});
