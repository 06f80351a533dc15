import { webhookEventAliases, webhookEventCatalog } from '@countersign/kernel/webhook-event';
import { test } from 'tap';
import { routes } from '../routes.js';
import { announcedEvents } from '../schemas/webhook-event.js';
import { openApiDocument } from './document.js';

const aliases = Object.keys(webhookEventAliases);
const { webhooks = {}, components, tags } = openApiDocument(routes, 'https://api.test');

test('the document has every event by each of its names', (t) => {
  const names = [...webhookEventCatalog.map(({ type }) => type), ...aliases];
  t.same(Object.keys(webhooks).sort(), names.sort());
  for (const name of names) {
    const { post } = webhooks[name] ?? {};
    t.equal(post?.deprecated ?? false, aliases.includes(name), name);
    t.match(post?.requestBody, { content: { 'application/json': { example: { event: name } } } });
  }
  t.ok(tags?.some(({ name }) => name === 'Events'));
  t.end();
});

test('the sample of an event has the form that the document gives it', (t) => {
  for (const { name, type, schema } of announcedEvents) {
    const sample = webhookEventCatalog.find((entry) => entry.type === type)?.samplePayload;
    const event = { ...sample, event: name };
    t.same(schema.parse(event), event, 'no field that the form lacks');
    const other = { ...event, event: 'authorization.approve' };
    t.notOk(schema.safeParse(other).success, `${name} under another name`);
  }
  t.end();
});

test('an event leaves room for the fields of a later release', (t) => {
  for (const name of ['AuthorizationDeclineEvent', 'AuthorizationDeclineEventData']) {
    const schema = components?.schemas?.[name];
    t.ok(schema, name);
    t.notOk(schema && 'additionalProperties' in schema);
  }
  t.end();
});
