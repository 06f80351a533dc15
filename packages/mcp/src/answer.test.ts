import { NotFoundError, PermissionError } from '@countersign/sdk';
import { test } from 'tap';
import { answered } from './answer.js';

test('an agent that does not exist is for the operator to mend', async (t) => {
  const missing = (code: string) =>
    answered(() => Promise.reject(new NotFoundError('It is not there.', { code })));
  t.match(await missing('AGENT_NOT_FOUND'), {
    isError: true,
    content: [{ text: /COUNTERSIGN_AGENT_ID/ }],
  });
  t.match(await missing('NOT_FOUND'), { content: [{ text: /no authorization with that id/ }] });
});

test('what the credential lacks is named for whoever set it up', async (t) => {
  const fields = [{ field: '', message: 'needs the scope agents', type: 'scope_missing' }];
  const facts = { code: 'ERROR', fields };
  const refused = await answered(() => Promise.reject(new PermissionError('No scope.', facts)));
  t.match(refused, {
    isError: true,
    content: [{ text: /No scope\. It needs the scope agents\./ }],
  });
});
