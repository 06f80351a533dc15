import { test } from 'tap';
import { type AskedPayment, keyScope } from './asked-payment.js';

const payment = { amount: '1.00', idempotencyKey: 'order-1', agentId: 'agt_1' };

function scopeOf(message: object, environment = 'live'): string | null {
  const asked = { request: { environment }, message: { clientId: 'cli_1', payment, ...message } };
  return keyScope(asked as AskedPayment);
}

test('a key is that of one Principal of one Client in one environment', (t) => {
  const { agentId, ...unnamed } = payment;
  const apart = [
    scopeOf({}),
    scopeOf({}, 'sandbox'),
    scopeOf({ clientId: 'cli_2' }),
    scopeOf({ principalId: 'prn_1' }),
    scopeOf({ principalId: 'prn_1' }, 'sandbox'),
    scopeOf({ principalId: 'prn_1', clientId: 'cli_2' }),
    scopeOf({ principalId: 'prn_2' }),
    scopeOf({ claimedPrincipalId: 'prn_3' }),
    scopeOf({ payment: { ...payment, agentId: 'agt_2' } }),
    scopeOf({ payment: { ...unnamed, agentDid: 'did:key:z1' } }),
    scopeOf({ payment: { ...unnamed, agentDid: 'did:key:z2' } }),
    scopeOf({ payment: { ...payment, idempotencyKey: 'order-2' } }),
  ];
  t.equal(new Set(apart).size, apart.length);
  const named = scopeOf({ principalId: 'prn_1' });
  t.equal(scopeOf({ claimedPrincipalId: 'prn_1' }), named, 'known to be its own, or not yet');
  const others = { ...payment, agentId: 'agt_2' };
  t.equal(scopeOf({ principalId: 'prn_1', payment: others }), named, 'whichever agent pays');
  t.equal(scopeOf({ payment: { ...payment, idempotencyKey: undefined } }), null);
  t.end();
});
