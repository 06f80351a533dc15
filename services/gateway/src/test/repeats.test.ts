import { decisionService } from '@countersign/proto/decision';
import { identityService } from '@countersign/proto/identity';
import { ledgerService } from '@countersign/proto/ledger';
import { notifierService } from '@countersign/proto/notifier';
import { settlementService } from '@countersign/proto/settlement';
import { repeatablePaths } from '@countersign/runtime/repeatable';
import { t as file, test } from 'tap';
import * as samples from './samples.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const { services } = surface;
const entry = samples.entryRecord({ stepUp: { status: 'PENDING', expiresAt: samples.at } });
const stepUp = `/authorize/step-up/${entry.id}`;

/** Nobody answers these: every try ends as it does when a service dies under its call. */
const unrepeatable = [
  { rpc: 'ConfirmStepUp', path: `${stepUp}/confirm`, method: 'POST' },
  { rpc: 'DenyStepUp', path: `${stepUp}/deny`, method: 'POST' },
  { rpc: 'VerifyCode', path: `${stepUp}/verify-otp`, body: { code: '123456' } },
  { rpc: 'DeleteWebhook', path: '/webhooks/wh_1', method: 'DELETE' },
  { rpc: 'TestWebhook', path: '/webhooks/wh_1/test', method: 'POST' },
  { rpc: 'RotateWebhookSecret', path: '/webhooks/wh_1/rotate-secret', method: 'POST' },
  { rpc: 'RetryDelivery', path: '/webhooks/wh_1/deliveries/whd_1/retry', method: 'POST' },
  {
    rpc: 'PutThresholds',
    path: '/thresholds',
    method: 'PUT',
    body: { authorize_min_kya_score: 0.2 },
  },
];

test('what must not be done twice is asked once, and answers that nobody knows', async (t) => {
  services.on('GetAuthorization', () => entry);
  for (const { rpc, path, ...sent } of unrepeatable) {
    services.forget();
    const answer = await surface.send(path, { ...sent, once: true });
    t.equal(answer.status, 503, `${rpc}: ${answer.text}`);
    t.equal(services.requests(rpc).length, 1, `${rpc} is not repeated`);
  }
});

test('a reversal that is repeated is the same reversal', async (t) => {
  services.forget();
  const sent = { body: { authorization_id: entry.id, amount: '1.00' }, once: true };
  t.equal((await surface.send('/authorize/reverse', sent)).status, 503);
  t.equal((await surface.send('/authorize/reverse', sent)).status, 503);
  const ids = services.requests('Reverse').map(({ reversalId }) => reversalId);
  t.ok(ids.length > 2, 'it is repeated');
  t.equal(new Set(ids).size, 2, 'under one id for each time that the caller asked');
  t.ok(ids.every(Boolean));
});

test('the contracts say of every call whether it may be repeated', (t) => {
  const contracts = [
    identityService,
    decisionService,
    ledgerService,
    notifierService,
    settlementService,
  ];
  const notRepeated = contracts.flatMap((contract) => {
    const repeated = new Set(repeatablePaths(contract).map(({ method }) => method));
    return Object.keys(contract).filter((rpc) => !repeated.has(rpc));
  });
  // Twice ConfirmStepUp: the decision service's, and the ledger's behind it.
  const expected = [...unrepeatable.map(({ rpc }) => rpc), 'ConfirmStepUp', 'RotateSigningKey'];
  t.same(notRepeated.sort(), expected.sort());
  t.end();
});
