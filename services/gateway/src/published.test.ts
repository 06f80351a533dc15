import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Test, test } from 'tap';
import { clientContract, clientContractFile } from './openapi/client-contract.js';
import { descriptions } from './openapi/descriptions.js';
import { openApiDocument } from './openapi/document.js';
import { interfaceMap, interfaceMapFile } from './openapi/interface-map.js';
import { operatorDocument } from './operator/openapi/document.js';
import { operatorRoutes } from './operator/table.js';
import { routes } from './routes.js';

const run = promisify(execFile);
const url = 'https://api.countersign.dev';
const document = openApiDocument(routes, url);
const bin = (name: string) =>
  new URL(`../../../node_modules/.bin/${name}`, import.meta.url).pathname;
const deadlineMs = 120_000;

test('every operation says more than its summary', (t) => {
  const operations = new Set(routes.map((row) => row.operation));
  for (const row of routes) {
    const text = row.documented?.description ?? descriptions[row.operation];
    t.ok(text, row.operation);
  }
  for (const name of Object.keys(descriptions)) t.ok(operations.has(name), `${name} exists`);
  t.end();
});

test('docs/interface-map.md says where everything is', (t) => {
  const current = interfaceMap(routes);
  t.equal(readFileSync(interfaceMapFile, 'utf8'), current, 'run: npm run regenerate');
  const untested = current.split('\n').filter((line) => /^\| `.*\|\s+\|$/.test(line));
  t.same(untested, [], 'every endpoint is named by a test');
  t.end();
});

test('the client is generated from these routes', (t) => {
  const kept = readFileSync(clientContractFile, 'utf8');
  // Not compared by the test: the difference may be thousands of lines.
  t.ok(kept === clientContract(routes), 'run: npm run regenerate');
  t.notMatch(kept, /"type": "number",\s+"exclusiveMinimum": 0\s/, 'amounts are text');
  t.end();
});

test('thresholds are described with the defaults and bounds of docs/rules.md', (t) => {
  const rules = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
  const fields = JSON.parse(JSON.stringify(document)).components.schemas.PutThresholds.properties;
  const rows = rules.matchAll(/^\| `([a-z_]+)` \| [a-z ]+ \| (\S+) \| ([^|]+) \|$/gm);
  const found = [...rows].map(([, field = '', fallback = '', bounds = '']) => {
    const { description, anyOf } = fields[field];
    const said = /Default: ([\d.]+|null)/.exec(description)?.[1]?.replace(/\.$/, '');
    t.equal(said === 'null' ? said : String(Number(said)), fallback, field);
    if (fallback !== 'null') t.ok(bounds.startsWith(`${anyOf[0].minimum} to ${anyOf[0].maximum}`));
    t.equal(/yet/.test(description), /yet/.test(bounds), `${field} has an effect, or not yet`);
    return field;
  });
  t.same(found.sort(), Object.keys(fields).sort());
  t.end();
});

test('what is described as one type has no words of another', (t) => {
  const ofText = ['pattern', 'minLength', 'maxLength'];
  const described: string[] = [];
  // Visits every value of the document, as JSON does.
  JSON.stringify(document, (key, value) => {
    if (typeof value !== 'object' || value === null) return value;
    const takesText = [value.type].flat().includes('string') && !value.enum;
    if (value.type && !takesText && ofText.some((word) => word in value))
      described.push(`${key}: ${JSON.stringify(value)}`);
    return value;
  });
  t.same(described, []);
  t.end();
});

for (const [of, described] of Object.entries({
  public: document,
  operator: operatorDocument(operatorRoutes, url),
})) {
  test(`Redocly and Spectral find no error in the published description: ${of}`, (t) =>
    checkDocument(t, described));
}

async function checkDocument(t: Test, described: object): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-openapi-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(described, null, 2));
  const rules = join(folder, 'rules.json');
  writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'] }));
  const options = {
    cwd: folder,
    timeout: deadlineMs,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  };
  const redocly = await run(bin('redocly'), ['lint', file, '--format=json'], options);
  t.equal(JSON.parse(redocly.stdout).totals.errors, 0, redocly.stdout);
  const spectral = await run(
    bin('spectral'),
    ['lint', '--ruleset', rules, '--format=json', '--quiet', file],
    options,
  );
  const found = JSON.parse(spectral.stdout) as Array<{ severity: number; code: string }>;
  const errors = found.filter(({ severity }) => severity === 0);
  t.same(errors, []);
  t.ok(found.length <= 1, `few warnings: ${found.map(({ code }) => code).join()}`);
}
