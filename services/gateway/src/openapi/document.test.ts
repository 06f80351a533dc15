/** What programs that generate clients and checks from the document rely on. */
import { test } from 'tap';
import { operatorDocument } from '../operator/openapi/document.js';
import { operatorRoutes } from '../operator/table.js';
import { routes } from '../routes.js';
import { openApiDocument } from './document.js';

type Node = Record<string, unknown>;

const url = 'https://api.test';
const document = JSON.parse(JSON.stringify(openApiDocument(routes, url)));
const operator = JSON.parse(JSON.stringify(operatorDocument(operatorRoutes, url)));
const documents = { public: document, operator };
const { schemas } = document.components;

function answerOf(path: string, method: string, status: number) {
  return document.paths[path][method].responses[status].content['application/json'];
}

/** Every object below a value, with where it is. */
function nodesOf(value: unknown, place = ''): Array<[place: string, node: Node]> {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, child]) =>
    forReaders.has(key) ? [] : nodesOf(child, `${place}/${key}`),
  );
  return Array.isArray(value) ? below : [[place, value as Node], ...below];
}

const forReaders = new Set(['example', 'examples', 'default']);

/** The schemas of a document that a body leads to, itself included. */
function reachedFrom(
  bodies: unknown[],
  named: Record<string, Node>,
  reached = new Set<string>(),
): Set<string> {
  for (const [, { $ref }] of bodies.flatMap((body) => nodesOf(body))) {
    const name = String($ref ?? '').replace('#/components/schemas/', '');
    if (!(name in named) || reached.has(name)) continue;
    reached.add(name);
    reachedFrom([named[name]], named, reached);
  }
  return reached;
}

test('an example beside a reference is shown in its place', (t) => {
  const { example } = answerOf('/api/v1/thresholds/preview', 'post', 200);
  t.notSame(example.after, example.before);
  t.notSame(example.changed[0].after, example.changed[0].before);
  t.end();
});

for (const [of, each] of Object.entries(documents)) {
  const named: Record<string, Node> = each.components.schemas;

  test(`${of}: an object or a choice of words that is used twice has a name`, (t) => {
    const places = new Map<string, string[]>();
    for (const [place, node] of nodesOf(each)) {
      const { description: _, examples: __, default: ___, ...form } = node;
      if (/^\/components\/schemas\/\w+$/.test(place) || !(form.enum ?? form.properties)) continue;
      const text = JSON.stringify(form);
      places.set(text, [...(places.get(text) ?? []), place]);
    }
    t.same(
      [...places.values()].filter((found) => found.length > 1),
      [],
    );
    t.end();
  });

  test(`${of}: an object in a list, and one that may be null, has a name`, (t) => {
    const places = nodesOf(each)
      .filter(([place, node]) => node.properties && /\/(items|anyOf\/\d)$/.test(place))
      .map(([place]) => place);
    t.same(places, []);
    t.end();
  });

  test(`${of}: no schema has the name of what every program of some language has`, (t) => {
    const taken = ['Array', 'Date', 'Error', 'Exception', 'Map', 'Number', 'Object', 'String'];
    t.same(
      taken.filter((name) => name in named),
      [],
    );
    t.end();
  });

  test(`${of}: every reference leads somewhere, and what leads nowhere is not kept`, (t) => {
    const references = new Set(
      nodesOf(each).flatMap(([, { $ref }]) => ($ref ? [String($ref)] : [])),
    );
    for (const path of references) {
      const target = path
        .split('/')
        .slice(1)
        .reduce((node, part) => node?.[part], each);
      t.ok(target, path);
    }
    for (const name of Object.keys(named)) {
      t.ok(references.has(`#/components/schemas/${name}`), `${name} is used`);
    }
    t.end();
  });

  test(`${of}: answers may have further fields, and requests may not`, (t) => {
    const operations = Object.values<Node>(each.paths).flatMap((item) => Object.values(item));
    const answers = operations.map((operation) => (operation as Node).responses);
    const answered = reachedFrom([answers, each.components.responses], named);
    for (const name of answered) {
      const closed = nodesOf(named[name]).filter(([, node]) => node.additionalProperties === false);
      t.same(closed, [], name);
    }
    t.ok(answered.has('Program'));
    const asked = reachedFrom(
      operations.map((operation) => (operation as Node).requestBody),
      named,
    );
    const requests = [...asked].filter((name) => named[name]?.properties);
    const open = requests.filter((name) => named[name]?.additionalProperties !== false);
    const oauth = of === 'public' ? ['TokenRequest'] : [];
    t.same(open, oauth, 'RFC 6749 has unknown parameters ignored');
    t.end();
  });
}

test('either error of the onboarding plane has a name', (t) => {
  const { schema } = document.components.responses.EitherError422.content['application/json'];
  t.same(schema, { $ref: '#/components/schemas/EitherError' });
  t.end();
});

test('each threshold is described in answers too', (t) => {
  const names = Object.keys(schemas.PutThresholds.properties);
  t.same(Object.keys(schemas.ThresholdValues.properties), names);
  t.same(schemas.ThresholdValues.required, names);
  t.same(Object.keys(schemas.ThresholdOverrides.properties), names);
  t.notOk(schemas.ThresholdOverrides.required);
  const { cts_green_threshold, velocity_burst_count, step_up_amount_threshold } =
    schemas.ThresholdValues.properties;
  t.equal(cts_green_threshold.type, 'number');
  t.equal(velocity_burst_count.type, 'integer');
  t.same(step_up_amount_threshold.anyOf.at(-1), { type: 'null' });
  t.end();
});

test('the form of a code or a number is a pattern', (t) => {
  const { currency, country } = schemas.AuthorizeRequest.properties;
  const { phone } = schemas.RegisterPrincipal.properties.profile.properties;
  const { method: _, phone: stepUpPhone } = schemas.RegisterPrincipal.properties.step_up.properties;
  const key = document.paths['/api/v1/onboard'].post.parameters.find(
    ({ name }: { name: string }) => name === 'Idempotency-Key',
  );
  const rows = [
    [currency, 'USD', 'usd'],
    [country, 'USA', 'US'],
    [phone, '+14155550123', '0123'],
    [stepUpPhone, '+14155550123', '0123'],
    [key.schema, 'key 1', 'schlüssel'],
  ];
  for (const [{ pattern }, good, bad] of rows) {
    t.match(good, new RegExp(pattern));
    t.notMatch(bad, new RegExp(pattern));
  }
  const inLog = schemas.AuthorizationLogEntry.properties.trust_level;
  t.same(inLog, schemas.Authorization.properties.trust_level);
  t.match(schemas.OnboardingError.properties.request_id.examples[0], /^req_/);
  t.end();
});
