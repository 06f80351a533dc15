import { inspect } from 'node:util';
import type { Attestation } from '@countersign/kernel/attestation';
import { Cipher } from '@countersign/kernel/cipher';
import { systemClock } from '@countersign/kernel/clock';
import { environments } from '@countersign/kernel/environment';
import { newId } from '@countersign/kernel/id';
import { closeStore } from '@countersign/runtime/database/stores';
import { createLog, type Logger } from '@countersign/runtime/log';
import { createTestDatabase, until } from '@countersign/runtime/testing';
import { createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import root, { test } from 'tap';
import { attest } from '../attestation/attest.js';
import { thumbprint } from '../attestation/key-pair.js';
import { KeyStore } from '../attestation/key-store.js';
import { SigningKeys } from '../attestation/signing-keys.js';
import { openStore } from '../db.js';
import { evaluate } from '../evaluate.js';
import {
  authorizeRequest,
  callOptions,
  issuer,
  newAgentIds,
  startDecision,
} from './decision-service.js';
import { factsOf } from './facts.js';
import { type AgentPatch, spendingFacts } from './fake-identity.js';

const { client, identity, ledger, context, stop } = await startDecision();
const { Authorize, Simulate, ConfirmStepUp, PutThresholds } = client.call;
const { ListSigningKeys, RotateSigningKey } = client.call;
root.teardown(stop);

const inSandbox = { ...callOptions, environment: 'sandbox' } as const;
const { pool } = context.stores.live;

interface Answer {
  authorization_id: string;
  decision: string;
  reason_codes: string[];
  attestation: Attestation | null;
  [field: string]: unknown;
}

type Claims = Record<string, unknown> & { dec: Record<string, unknown> };

/** The keys as the gateway publishes them: those of both environments except revoked ones. */
async function publishedKeys(): Promise<JWK[]> {
  const lists = await Promise.all(
    environments.map((environment) => ListSigningKeys({}, { ...callOptions, environment })),
  );
  return lists
    .flatMap(({ keys }) => keys)
    .filter(({ revokedAt }) => revokedAt === undefined)
    .map(({ kid, jwkJson }) => ({ ...JSON.parse(jwkJson), kid, use: 'sig', alg: 'ES256' }));
}

/** Verifies as docs/attestations.md describes it. */
async function verified({ jws }: Pick<Attestation, 'jws'>, expected = issuer): Promise<Claims> {
  const keys = createLocalJWKSet({ keys: await publishedKeys() });
  const { payload } = await jwtVerify(jws, keys, {
    issuer: expected,
    typ: 'authorization-decision+jwt',
    algorithms: ['ES256'],
  });
  return payload as unknown as Claims;
}

function attestationIn({ attestation }: { attestation: Attestation | null }): Attestation {
  if (!attestation) throw new Error('nothing was attested');
  return attestation;
}

async function decide(payment = {}, options: typeof callOptions | typeof inSandbox = callOptions) {
  const request = authorizeRequest(ids, payment);
  const { answer } = await Authorize(request, options);
  return { request, text: answer, body: JSON.parse(answer) as Answer };
}

/** All tests share one agent, since none depends on how much of its limits is used. */
const ids = newAgentIds();
const tenant = { clientId: 'cli_1', principalId: ids.principalId };
// Together the tests make a burst of decisions about that agent.
await PutThresholds({ tenant, changesJson: '{"velocity_burst_count": 1000}' }, callOptions);
const generous = { maxDailyAmount: '100000.00', maxMonthlyAmount: '100000.00' };

let version = 1;

/** Changes the agent as identity does: with a new version, and a fence against cached ones. */
function agentIs(patch: AgentPatch = {}): void {
  version += 1;
  ledger.fences.set(ids.agentId, version);
  const agent = { ...patch.agent, version };
  const mandate = { ...generous, ...patch.mandate };
  identity.answers = [spendingFacts(ids, { ...patch, agent, mandate })];
}

async function keysOf(options: typeof callOptions | typeof inSandbox = callOptions) {
  const { keys } = await ListSigningKeys({}, options);
  return keys;
}

async function statuses(): Promise<string[]> {
  return (await keysOf()).map(({ status }) => status).sort();
}

test('an attestation verifies with the published keys and states the decision', async (t) => {
  agentIs();
  const payment = { merchantId: 'm-1', mcc: '5411', country: 'US', clientReference: 'order-1' };
  const { request, body } = await decide(payment);
  const attestation = attestationIn(body);
  const claims = await verified(attestation);
  const iat = Number(claims.iat);
  t.strictSame(claims, {
    iss: issuer,
    sub: `did:key:${ids.agentId}`,
    jti: body.authorization_id,
    iat,
    exp: iat + 900,
    env: 'live',
    ver: 1,
    dec: {
      authorization_id: request.authorizationId,
      transaction_id: request.transactionId,
      correlation_key: 'order-1',
      decision: 'APPROVE',
      reason_codes: [],
      agent_id: ids.agentId,
      principal_id: ids.principalId,
      mandate_id: ids.mandateId,
      mandate_hash: 'sha256:1',
      rail: 'CARD',
      amount: '10.00',
      currency: 'USD',
      merchant_id: 'm-1',
      mcc: '5411',
      country: 'US',
      kya_score: body.kya_score,
      trust_level: body.trust_level,
      risk_score: body.risk_score,
      intent_anomaly_score: body.intent_anomaly_score,
      cognitive_limit_multiplier: 1,
      vi: { verified: false, mode: null, reference: null },
    },
    req_hash: 'req',
    req_hash_alg: 'sha-256;jcs',
  });
  t.ok(Math.abs(iat * 1_000 - Date.now()) < 30_000);
  const { jws, kid, ...rest } = attestation;
  t.strictSame(rest, {
    format: 'jws',
    typ: 'authorization-decision+jwt',
    alg: 'ES256',
    jwks_uri: `${issuer}/api/v1/.well-known/jwks.json`,
    issued_at: new Date(iat * 1_000).toISOString(),
    expires_at: new Date((iat + 900) * 1_000).toISOString(),
  });
  const header = JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString());
  t.strictSame(header, { alg: 'ES256', typ: 'authorization-decision+jwt', kid });
});

test('the attestation matches the record, whatever the ledger objected to first', async (t) => {
  const cases: Array<[patch: AgentPatch, payment: object, decision: string, codes: string[]]> = [
    [{ agent: { status: 'SUSPENDED' } }, {}, 'DECLINE', ['AGENT_SUSPENDED']],
    [{ mandate: { rails: ['crypto'] } }, {}, 'DECLINE', ['NO_ACTIVE_MANDATE']],
    [{ mandate: { maxDailyAmount: '1.00' } }, {}, 'DECLINE', ['DAILY_AMOUNT_EXCEEDED']],
  ];
  for (const [patch, payment, decision, codes] of cases) {
    agentIs(patch);
    const { body } = await decide(payment);
    t.match(body, { decision, reason_codes: codes });
    const { dec } = await verified(attestationIn(body));
    t.match(dec, { decision, reason_codes: codes, mandate_id: body.mandate_id });
  }
  agentIs();
  const crypto = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '10.5' };
  const { body } = await decide({ rail: 'CRYPTO', crypto });
  t.strictSame((await verified(attestationIn(body))).dec.crypto, crypto);
});

test('a reference that looks like a marker is attested as it is answered', async (t) => {
  agentIs();
  const { body } = await decide({ clientReference: 'order \ue000A\ue001' });
  const { dec } = await verified(attestationIn(body));
  t.equal(dec.correlation_key, body.correlation_key);
});

test('an attestation of sandbox never verifies as live, nor the reverse', async (t) => {
  agentIs();
  const [live, sandbox] = [await decide(), await decide({}, inSandbox)];
  const { iss, env } = await verified(attestationIn(sandbox.body), `${issuer}/sandbox`);
  t.match({ iss, env }, { iss: `${issuer}/sandbox`, env: 'sandbox' });
  await t.rejects(verified(attestationIn(sandbox.body)), {
    code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
  });
  await t.rejects(verified(attestationIn(live.body), `${issuer}/sandbox`));
  const kidOf = (keys: Awaited<ReturnType<typeof keysOf>>) =>
    keys.find(({ status }) => status === 'ACTIVE')?.kid;
  t.equal(attestationIn(live.body).kid, kidOf(await keysOf()));
  t.equal(attestationIn(sandbox.body).kid, kidOf(await keysOf(inSandbox)), 'each has its own key');
  const ofSandbox = new Set((await keysOf(inSandbox)).map(({ kid }) => kid));
  t.notOk(ofSandbox.has(attestationIn(live.body).kid), 'the environments share no key');
});

test('after a rotation the next key signs, and retired keys still verify', async (t) => {
  agentIs();
  const payment = { idempotencyKey: 'key-attested' };
  const first = await decide(payment);
  const [before, others] = [await keysOf(), await keysOf(inSandbox)];
  const next = before.find(({ status }) => status === 'NEXT');
  const rotated = await RotateSigningKey({}, callOptions);
  t.equal(rotated.activeKid, next?.kid);
  t.strictSame(await statuses(), ['ACTIVE', 'NEXT', 'RETIRED']);
  const retired = (await keysOf()).find(({ status }) => status === 'RETIRED');
  t.equal(retired?.kid, attestationIn(first.body).kid);
  t.ok(Date.parse(retired?.retiredAt ?? '') <= Date.now());
  t.strictSame(await keysOf(inSandbox), others, 'the other environment is unaffected');

  t.equal((await decide(payment)).text, first.text, 'the same bytes');
  t.match(await verified(attestationIn(first.body)), { jti: first.body.authorization_id });
  const second = await decide();
  t.equal(attestationIn(second.body).kid, rotated.activeKid);
  t.match(await verified(attestationIn(second.body)), { jti: second.body.authorization_id });

  await pool.query(`UPDATE signing_key SET revoked_at = now() WHERE kid = $1`, [retired?.kid]);
  await t.rejects(verified(attestationIn(first.body)), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
});

/** Signing keys and statements of one replica; call it several times for several replicas. */
async function replicaOf(url: string, cipher = new Cipher([Buffer.alloc(32, 1)]), log?: Logger) {
  const quiet = log ?? createLog({ service: 'test', level: 'silent' });
  const store = openStore(url, { size: 3, log: quiet });
  const { prisma } = store;
  const keyStore = new KeyStore({ environment: 'live', prisma, cipher, clock: systemClock });
  const keys = await SigningKeys.open(keyStore, quiet);
  return {
    keys,
    query: (sql: string) => store.pool.query(sql),
    close: async () => {
      await keys.stop();
      await closeStore(store);
    },
  };
}

test('replicas that start together create one set of keys, and notice a rotation', async (t) => {
  const database = await createTestDatabase('decision');
  const replicas = await Promise.all(Array.from({ length: 5 }, () => replicaOf(database.url)));
  t.teardown(async () => {
    await Promise.all(replicas.map(({ close }) => close()));
    await database.drop();
  });
  const [one] = replicas;
  if (!one) throw new Error('no replica');
  const kids = () => new Set(replicas.map(({ keys }) => keys.current().kid));
  t.equal(kids().size, 1);
  const states = async () => (await one.keys.list()).map(({ status }) => status).sort();
  t.strictSame(await states(), ['ACTIVE', 'NEXT']);
  const { activeKid } = await one.keys.rotate();
  t.equal(one.keys.current().kid, activeKid, 'at once in the replica that rotated');
  await until(() => kids().size === 1 && kids().has(activeKid), { what: 'all replicas to notice' });
  await Promise.all(replicas.map(({ keys }) => keys.rotate()));
  const retired = Array.from({ length: 6 }, () => 'RETIRED');
  t.strictSame(
    await states(),
    ['ACTIVE', 'NEXT', ...retired],
    'concurrent rotations are serialized',
  );
  for (const status of ['NEXT', 'ACTIVE']) {
    const sql = `UPDATE signing_key SET revoked_at = now() WHERE status = '${status}'`;
    await t.rejects(one.query(sql), /signing_key_life/, 'a key that may sign cannot be revoked');
  }
});

test('a private key is never in plain text in the database or a log', async (t) => {
  const database = await createTestDatabase('decision');
  const lines: string[] = [];
  const write = (...args: unknown[]) => void lines.push(inspect(args, { depth: 8 }));
  const log = { info: write, warn: write, error: write } as unknown as Logger;
  const cipher = new Cipher([Buffer.alloc(32, 2)]);
  const replica = await replicaOf(database.url, cipher, log);
  const stranger = await replicaOf(database.url, new Cipher([Buffer.alloc(32, 3)]), log);
  t.teardown(async () => {
    await Promise.all([replica.close(), stranger.close()]);
    await database.drop();
  });
  const rows = await replica.keys.list();
  const pems = rows.map(({ kid, sealedBy, sealedPrivate }) => {
    const sealed = { keyId: sealedBy ?? '', bytes: sealedPrivate ?? new Uint8Array() };
    return cipher.open(sealed, `signing key live ${kid}`);
  });
  const { rows: dumped } = await replica.query('SELECT k::text AS text FROM signing_key k');
  const seen = [...lines, ...dumped.map(({ text }) => String(text)), inspect(replica.keys)].join();
  t.equal(pems.length, 2);
  for (const pem of pems) {
    const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
    // In the PKCS #8 encoding of a P-256 key the 32 bytes of the private key begin at byte 36.
    const secret = der.subarray(36, 68);
    for (const spelling of ['hex', 'base64', 'base64url', 'latin1'] as const) {
      t.notOk(seen.includes(secret.toString(spelling)), spelling);
    }
    t.notOk(seen.includes(Buffer.from(pem).toString('hex')), 'nor the PEM');
  }
  t.throws(() => stranger.keys.current(), 'encrypted with another key');
  t.match(lines.join(), /decisions are not signed/);
  await replica.keys.rotate();
  const { rows: left } = await replica.query(
    `SELECT kid FROM signing_key WHERE status = 'RETIRED' AND sealed_private IS NOT NULL`,
  );
  t.strictSame(left, [], 'retired keys have no private key');
});

test('without a usable key decisions are made unsigned, and counted', async (t) => {
  agentIs();
  await decide();
  await pool.query(`UPDATE signing_key SET sealed_by = 'lost' WHERE status = 'NEXT'`);
  await RotateSigningKey({}, callOptions);
  const { body } = await decide();
  t.match(body, { decision: 'APPROVE', attestation: null });
  t.match(await context.metrics.registry.metrics(), /unsigned_total\{[^}]*"live"[^}]*\} 1\n/);
  await RotateSigningKey({}, callOptions);
  t.ok(attestationIn((await decide()).body), 'a further rotation fixes it');
});

test('no attestation of simulations, of unknown agents, or while signing is off', async (t) => {
  agentIs();
  const { answer } = await Simulate(authorizeRequest(ids), callOptions);
  t.match(JSON.parse(answer), { decision: 'APPROVE', attestation: null, simulated: true });
  identity.answers = [{ actingPrincipalId: ids.principalId }];
  const stranger = authorizeRequest({ ...ids, agentId: newId('agent') });
  const declined = await Authorize(stranger, callOptions);
  t.match(JSON.parse(declined.answer), { reason_codes: ['AGENT_NOT_FOUND'], attestation: null });
  const facts = factsOf({});
  const statement = { facts, verdict: evaluate(facts), principalId: 'prn_1', at: Date.now() };
  const call = { environment: 'live', log: createLog({ service: 't', level: 'silent' }) } as const;
  t.ok(await attest(context, call, statement));
  const off = { ...context, config: { ...context.config, attestations: 'off' as const } };
  t.equal(await attest(off, call, statement), null);
  const ofUnknownAgent = { ...statement, facts: { ...facts, agent: null } };
  t.equal(await attest(context, call, ofUnknownAgent), null);
});

/** The attestation of the approval. */
async function confirmed({ authorizationId }: { authorizationId?: string }): Promise<Attestation> {
  ledger.confirmOutcome = { outcome: 'confirmed', confirmedAt: '2026-11-21T12:00:00.000Z' };
  await ConfirmStepUp({ tenant, authorizationId, confirmedBy: ids.principalId }, callOptions);
  return JSON.parse(ledger.confirmations.at(-1)?.attestationJson ?? '');
}

test('a confirmed challenge gets a second attestation that refers to the first', async (t) => {
  await PutThresholds(
    { tenant, changesJson: '{"step_up_amount_threshold": "50.00"}' },
    callOptions,
  );
  agentIs();
  const { body, request } = await decide({ amount: '60.00' });
  t.equal(body.decision, 'STEP_UP');
  const first = await verified(attestationIn(body));
  t.has(first.dec, { decision: 'STEP_UP', amount: '60.00' });
  const again = await confirmed(request);
  t.strictSame(Object.keys(again), Object.keys(attestationIn(body)));
  const { iat, exp, ...claims } = await verified(again);
  const { iat: firstIat, exp: _, ...stated } = first;
  t.ok(Number(iat) >= Number(firstIat) && Number(exp) === Number(iat) + 900);
  t.strictSame(claims, {
    ...stated,
    prev: first.jti,
    dec: { ...first.dec, decision: 'APPROVE', reason_codes: ['STEP_UP_CONFIRMED'] },
  });
});

test('the approval of a challenge that was not attested refers to none', async (t) => {
  agentIs();
  await pool.query(`UPDATE signing_key SET sealed_by = 'lost' WHERE status = 'NEXT'`);
  await RotateSigningKey({}, callOptions);
  const { body, request } = await decide({ amount: '60.00' });
  t.match(body, { decision: 'STEP_UP', attestation: null });
  await RotateSigningKey({}, callOptions);
  t.notOk('prev' in (await verified(await confirmed(request))));
});

test('the kid of a key is its thumbprint', (t) => {
  const x = 'fyNYMN0976ci7xqiSdag3buk-ZCwgXU4kz9XNkBlNUI';
  const y = 'hW2ojTNfH7Jbi8--CJUo3OCbH3y5n91g-IMA9MLMbTU';
  const kid = thumbprint({ kty: 'EC', crv: 'P-256', x, y });
  t.equal(kid, 'G_96kD3GBXg7fuqEEJsKY1YHracLxBDq7pdwv2DgxdM');
  t.end();
});
