import { NotFoundError, PermissionError, RateLimitError, UnavailableError } from '@countersign/sdk';
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

test('no answer is neither an approval nor a decline; the user is told in the end', async (t) => {
  const lost = await answered(() =>
    Promise.reject(new UnavailableError('No answer.', { code: 'SERVICE_UNAVAILABLE' })),
  );
  t.match(lost, {
    isError: true,
    content: [
      { text: /do not know of an approval: do not pay[\s\S]*same arguments[\s\S]*tell the user/ },
    ],
  });
});

test('too many requests are told with the time to wait, and not as an outage', async (t) => {
  const facts = { code: 'RATE_LIMITED', retryAfter: 7 };
  const limited = await answered(() => Promise.reject(new RateLimitError('Slow down.', facts)));
  t.match(limited, { isError: true, content: [{ text: /Wait 7 seconds, then call again/ }] });
});
