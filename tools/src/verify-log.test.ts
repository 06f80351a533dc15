import { test } from 'tap';
import { Failure } from './screen.js';
import { main } from './verify-log.js';

test('a database is named where no list of processes shows its password', async (t) => {
  const url = 'postgres://somebody:pass-word@127.0.0.1:1/ledger';
  for (const given of [['--database-url', url], [`--database-url=${url}`], [url]]) {
    const thrown = await main(['--environment', 'live', ...given]).catch((error: unknown) => error);
    t.ok(thrown instanceof Failure, 'it is refused');
    t.notMatch(String(thrown), /pass-word/, 'and not repeated');
  }
});
