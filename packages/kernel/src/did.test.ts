import { test } from 'tap';
import { didPattern } from './did.js';

test('an empty segment of a DID may be anywhere but at its end', (t) => {
  const method = (did: string) => didPattern.exec(did)?.[1] ?? null;
  for (const did of ['did:ex:a', 'did:ex::a', 'did:ex:a::b', 'did:ex:::a', 'did:ex:a%20b:c']) {
    t.equal(method(did), 'ex', did);
  }
  for (const did of ['did:ex:', 'did:ex::', 'did:ex:a:', 'did:Ex:a', 'did:ex:a/b', 'did:ex:%2']) {
    t.equal(method(did), null, did);
  }
  t.end();
});
