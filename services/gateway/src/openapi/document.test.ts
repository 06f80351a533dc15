/** What programs that generate clients and checks from the document rely on. */
import { test } from 'tap';
import { routes } from '../routes.js';
import { openApiDocument } from './document.js';

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'https://api.test')));

function answerOf(path: string, method: string, status: number) {
  return document.paths[path][method].responses[status].content['application/json'];
}

test('an example beside a reference is shown in its place', (t) => {
  const { example } = answerOf('/api/v1/thresholds/preview', 'post', 200);
  t.notSame(example.after, example.before);
  t.notSame(example.changed[0].after, example.changed[0].before);
  t.end();
});
