import { test } from 'tap';
import { failSafeAnswer } from './fail-safe.js';
import { restoredAnswer } from './stored-answer.js';

test('an answer that is no list is returned as it is', (t) => {
  const failSafe = failSafeAnswer({
    authorizationId: 'auth_1',
    transactionId: 'txn_1',
    correlationKey: '[1,"',
    agentId: null,
    currency: 'USD',
    processingTimeMs: 3,
  });
  t.equal(restoredAnswer(failSafe), failSafe);
  t.end();
});
