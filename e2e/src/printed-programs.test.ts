/** The programs that the documents print, run as a reader would, against the running system. */
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { canonicalHash } from '@countersign/kernel/canonical';
import { until } from '@countersign/runtime/testing';
import { PortPicker } from '@countersign/tools/ports';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { type Language, outputOf, printedIn, serve, whyNoPython } from './printed-program.js';
import { expectStatus, newSpender, newTenant, paymentBody } from './tenant.js';

const ports = new PortPicker();
const languages: Language[] = ['ts', 'python'];
const receivers = { ts: await ports.pick(), python: await ports.pick() };
const stack = await startInstallation({
  env: {
    ...patience,
    RATE_LIMIT_MULTIPLIER: '0',
    WEBHOOK_ALLOWED_HOSTS: Object.values(receivers)
      .map((port) => `127.0.0.1:${port}`)
      .join(','),
  },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack, 'live');
const noPython = await whyNoPython();
const noCryptography = await whyNoPython(['cryptography']);

const stale = {
  id: `evt_${randomUUID()}`,
  event: 'any',
  timestamp: '2026-01-01T00:00:00Z',
  data: {},
};

for (const language of languages) {
  const skip = language === 'python' && noPython;
  t.test(`the receiver in ${language} takes what is genuine`, { skip }, async (t) => {
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '10.00' });
    const url = `http://127.0.0.1:${receivers[language]}/`;
    const hook = { url, event_types: ['authorization.decline'] };
    const { signing_secret: secret } = expectStatus(
      await spender.acting.post('/api/v1/webhooks', hook),
      201,
    );
    const deliver = async (body: string, signature: string): Promise<number> => {
      const headers = { 'X-Service-Signature': signature };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    const answers = () =>
      deliver('{}', '').then(
        (status) => status === 401,
        () => false,
      );
    const text = printedIn('verify-webhooks.md', language);
    const env = { WEBHOOK_SECRET: secret, PORT: String(receivers[language]) };
    const receiver = await serve({ language, text, env }, answers);
    t.teardown(receiver.stop);
    // Anybody can open a connection and send nothing, which must not keep deliveries waiting.
    const idle = connect(receivers[language], '127.0.0.1');
    t.teardown(() => idle.destroy());
    await once(idle, 'connect');
    const asked = paymentBody(spender.agentId, { amount: '12.50' });
    const answer = expectStatus(await spender.acting.post('/api/v1/authorize', asked), 200);
    const line = `authorization.decline ${answer.authorization_id}\n`;
    const printed = () => receiver.printed() === line;
    await until(printed, { what: `a delivery in ${language}`, timeoutMs: 30_000 });
    const sign = (body: string, key: string) =>
      `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
    const fresh = JSON.stringify({ ...stale, timestamp: new Date().toISOString() });
    t.equal(await deliver(fresh, sign(fresh, 'a guess')), 401);
    t.equal(await deliver(`${fresh} `, sign(fresh, secret)), 401, 'changed on the way');
    t.equal(await deliver(JSON.stringify(stale), sign(JSON.stringify(stale), secret)), 400);
    const both = `${sign(fresh, 'a rotated secret')}, ${sign(fresh, secret)}`;
    t.equal(await deliver(fresh, both), 204, 'one of two signatures suffices');
    t.equal(await deliver(fresh, both), 204, 'a repeat is answered');
    await until(() => receiver.printed() !== line, { what: 'the second delivery' });
    t.match(receiver.printed(), /^authorization\.decline \S+\nany (None|undefined)\n$/, 'once');
  });
}

/** Prints the claims of an attestation and the hash of its request. */
const uses = {
  ts: (jws: string, body: string) =>
    `console.log(JSON.stringify([await verifyDecision(${jws}), requestHash(${body})]));`,
  python: (jws: string, body: string) =>
    `claims, body = verify_decision(${jws}, key_set()), json.loads(r'''${body}''')\n` +
    'print(json.dumps([claims, request_hash(body)]))',
};

for (const language of languages) {
  const skip = language === 'python' && noCryptography;
  t.test(`an attestation is verified in ${language}`, { skip }, async (t) => {
    const { acting, agentId } = await newSpender(stack, tenant);
    const asked = paymentBody(agentId, {
      amount: '12.50',
      merchant_name: 'Café Zürich',
      intent_context: { task_reference: 'task-1', confidence: 1 },
    });
    // As Python prints the number; it is the same one.
    const sent = JSON.stringify(asked).replace('"confidence":1', '"confidence":1.0');
    const answer = expectStatus(await acting.post('/api/v1/authorize', asked), 200);
    const verified = async (jws: string) => {
      const printed = printedIn('attestations.md', language);
      const program = printed.replaceAll('https://api.example.com', stack.baseUrl);
      const use = uses[language](JSON.stringify(jws), sent);
      return JSON.parse(await outputOf(language, `${program}\n${use}\n`));
    };
    const { jws } = answer.attestation;
    const [claims, hash] = await verified(jws);
    t.match(claims, { jti: answer.authorization_id, dec: { decision: 'APPROVE' }, req_hash: hash });
    const [head, body, signature] = jws.split('.');
    const claimed = JSON.parse(Buffer.from(body, 'base64url').toString());
    claimed.dec.decision = 'DECLINE';
    const forged = Buffer.from(JSON.stringify(claimed)).toString('base64url');
    await t.rejects(verified([head, forged, signature].join('.')), 'of another decision');
  });
}

t.test('a mandate_hash is computed in python', { skip: noPython }, async (t) => {
  const document = new URL('../../docs/mandate-hash.md', import.meta.url);
  const [, json = ''] = readFileSync(document, 'utf8').split('\n```json\n');
  const vectors: Array<{ mandate: object; canonical: string; mandate_hash: string }> = JSON.parse(
    json.slice(0, json.indexOf('\n```')),
  );
  // As an answer has them: with nulls, empty lists and numbers, in any order.
  const [least] = vectors;
  const answered = {
    ...least?.mandate,
    max_amount_per_transaction: 100.5,
    max_daily_amount: null,
    allowed_merchants: ['～', '📚'],
    blocked_merchants: [],
  };
  const terms = {
    ...JSON.parse(least?.canonical ?? ''),
    max_amount_per_transaction: '100.5',
    allowed_merchants: ['📚', '～'],
  };
  const inputs = [...vectors.map(({ mandate }) => mandate), answered];
  const use =
    `inputs = json.loads(r'''${JSON.stringify(inputs)}''', parse_float=Decimal)\n` +
    'print(json.dumps([mandate_hash(each) for each in inputs]))';
  const printed = await outputOf('python', `${printedIn('mandate-hash.md', 'python')}\n${use}\n`);
  t.same(JSON.parse(printed), [
    ...vectors.map(({ mandate_hash: hash }) => hash),
    `sha256:${canonicalHash(terms)}`,
  ]);
});
