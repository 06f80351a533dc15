import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestError,
  UnavailableError,
} from '@countersign/sdk';
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

test('whatever is not an answer of Countersign says not to pay', async (t) => {
  const errors = [
    new AuthenticationError('The key is not known.', { code: 'INVALID_API_KEY' }),
    new PermissionError('The address is not allowed.', { code: 'ERROR' }),
    new RateLimitError('The decision could not be kept.', { code: 'RATE_LIMITED' }),
    new RequestError('Something is in between.', { code: 'UNEXPECTED_ANSWER', status: 302 }),
  ];
  for (const error of errors) {
    const said = await answered(() => Promise.reject(error));
    t.match(said, { isError: true, content: [{ text: /do not pay/i }] }, error.name);
  }
});
