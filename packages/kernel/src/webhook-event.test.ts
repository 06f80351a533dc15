import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { webhookEventCatalog } from './webhook-event.js';

const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
const quoted = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The rows of its table, by the type of the event. */
const rows = new Map(
  [...page.matchAll(/^\| `([a-z_.]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(([, type, data]) => [
    type,
    data,
  ]),
);

test('docs/events.md names every webhook event with its fields', (t) => {
  const base = quoted(/The \*base\* fields are ([\s\S]+?)\. /.exec(page)?.[1] ?? '');
  t.ok(base.length > 0, 'the base fields');
  for (const { type, samplePayload } of webhookEventCatalog) {
    const data = rows.get(type) ?? '';
    const named = [...(data.startsWith('base') ? base : []), ...quoted(data)];
    const fields = Object.keys(samplePayload.data);
    t.same(named.sort(), fields.sort(), `docs/events.md: the row of ${type} under "Types"`);
  }
  t.end();
});
