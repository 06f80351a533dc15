/** What programs that generate clients and checks from the document rely on. */
import { test } from 'tap';
import { routes } from '../routes.js';
import { openApiDocument } from './document.js';

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'https://api.test')));
const { schemas } = document.components;

function answerOf(path: string, method: string, status: number) {
  return document.paths[path][method].responses[status].content['application/json'];
}

test('an example beside a reference is shown in its place', (t) => {
  const { example } = answerOf('/api/v1/thresholds/preview', 'post', 200);
  t.notSame(example.after, example.before);
  t.notSame(example.changed[0].after, example.changed[0].before);
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
