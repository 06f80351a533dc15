import { test } from 'tap';
import { asProblem, problemOf } from './problem.js';

const ours = { code: 'VALIDATION_ERROR', message: 'No.', request_id: 'req_1', docs_url: '…' };
const field = { field: 'amount', message: 'must be positive', type: 'too_small' };

test('a refusal of the API keeps its words', (t) => {
  const told = problemOf(422, { error: { ...ours, details: { errors: [field] } } }, null);
  t.match(told, { message: 'No.', status: 422, code: 'VALIDATION_ERROR', requestId: 'req_1' });
  t.same(told.fields, [field]);
  for (const details of [{}, null, undefined]) {
    t.same(problemOf(409, { error: { ...ours, details } }, null).fields, []);
  }
  t.end();
});

test('an answer of something in between is shown as what it is, with its status', (t) => {
  const bodies = [
    ...[undefined, null, '502', [], {}, { error: null }, { error: 'Bad Gateway' }, { error: {} }],
    { error: { message: 'No upstream.' } },
    { error: { ...ours, message: { en: 'No.' } } },
    ...['none', { amount: field }, [null], ['amount'], [{ ...field, type: 1 }]].map((errors) => ({
      error: { ...ours, details: { errors } },
    })),
  ];
  for (const body of bodies) {
    const told = problemOf(502, body, 'req_head');
    t.match(told.message, 'not one of Countersign', JSON.stringify(body));
    t.match(told, { status: 502, code: '', requestId: 'req_head' });
    t.same(told.fields, []);
  }
  t.end();
});

test('a mistake of the console is not taken for a network', (t) => {
  t.match(asProblem(new TypeError('x is undefined')).message, 'The console failed');
  t.end();
});
