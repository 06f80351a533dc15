/** The services with mutual TLS among each other: a round of calls that reaches each of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressCertificate, serviceCa } from '@countersign/runtime/testing/service-certificates';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { expectStatus, newSpender, newTenant, paymentBody } from './tenant.js';

const folder = t.testdir();
const held = {
  GRPC_CERT_FILE: addressCertificate.certificate,
  GRPC_KEY_FILE: addressCertificate.key,
  GRPC_CA_FILE: serviceCa,
};
const files = Object.entries(held).map(([name, text]) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return [name, file];
});
const stack = await startInstallation({
  env: { ...patience, ...Object.fromEntries(files), RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());

t.test('every service is reached', async (t) => {
  const tenant = await newTenant(stack);
  const { acting, agentId } = await newSpender(stack, tenant);
  const asked = paymentBody(agentId, { amount: '12.50' });
  const paid = expectStatus(await acting.post('/api/v1/authorize', asked), 200);
  t.equal(paid.decision, 'APPROVE', 'decision, identity and the ledger');
  const hooks = expectStatus(await acting.get('/api/v1/webhooks'), 200);
  t.same(hooks.data, [], 'notifier');
  const settled = await acting.get(`/api/v1/crypto/settlements/${paid.authorization_id}`);
  t.equal(settled.status, 403, 'settlement, of which this is none');
  const revoke = { status: 'REVOKED', reason: 'test' };
  const status = `/api/v1/agents/${agentId}/status`;
  expectStatus(await acting.call('PATCH', status, { body: revoke }), 200);
  const again = expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId)), 200);
  t.equal(again.reason_codes[0], 'AGENT_REVOKED', 'the fence of identity at the ledger');
});
