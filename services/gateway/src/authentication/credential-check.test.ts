import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { type Credential, type CredentialReader, credentialProblem } from './credential.js';
import { CredentialCheck } from './credential-check.js';
import type { Gate } from './gate.js';
import type { GateAnswer } from './gate-turn.js';

const credential: Credential = {
  id: 'acr_1',
  kind: 'api_key',
  clientId: 'cli_1',
  environment: 'sandbox',
  principalId: null,
  oauthClientId: null,
  scopes: [],
  access: 'full',
  ipAllowlist: null,
  expiresAt: null,
  revoked: false,
  clientActive: true,
  version: 1,
  secretHash: 'hash',
  previousHash: null,
  previousExpiresAt: null,
};
const revoked = { ...credential, revoked: true, version: 2 };
const answer: GateAnswer = { rate: null, version: 1, fresh: true, lease: null };
const attempt = { ip: '10.0.0.1', group: 'none' } as const;

/** A check that has let in the credential once; what is around it changes with `world`. */
async function checking() {
  const world = {
    stored: credential,
    read: async () => world.stored,
    relies: true,
    gate: async (): Promise<GateAnswer> => answer,
  };
  const metrics = new Metrics('test');
  const check = new CredentialCheck({
    reader: {} as CredentialReader,
    gate: { pass: () => world.gate(), fill: () => {} } as unknown as Gate,
    metrics,
    clock: () => 0,
    log: { warn: () => {} } as never,
    reliesOnRedis: () => world.relies,
  });
  const read = () => world.read();
  const presented = { hash: 'hash', cacheKey: 'key hash', read };
  const letIn = () => check.check(presented, attempt);
  const isKnown = () => check.knows(presented);
  await letIn();
  world.stored = revoked;
  const counted = async () => {
    const metric = metrics.registry.getSingleMetric('countersign_credential_reads_total');
    const { values = [] } = (await metric?.get()) ?? {};
    return Object.fromEntries(values.map(({ labels, value }) => [labels.from, value]));
  };
  return { world, letIn, isKnown, counted };
}

test('a version that Redis calls fresh is enough while it is relied on', async (t) => {
  const { world, letIn } = await checking();
  t.match(await letIn(), { credential: { version: 1 } });
  world.relies = false;
  t.match(await letIn(), { problem: 'revoked' });
});

test('a version that is fresh no more is read again', async (t) => {
  const { world, letIn } = await checking();
  world.gate = async () => ({ ...answer, fresh: false });
  t.match(await letIn(), { problem: 'revoked' });
});

test('who was let in is known until he is refused', async (t) => {
  const { world, letIn, isKnown } = await checking();
  t.equal(isKnown(), true);
  world.gate = async () => ({ ...answer, version: 2 });
  t.match(await letIn(), { problem: 'revoked' });
  t.equal(isKnown(), false, 'so he is counted as others are who fail');
});

test('an answer from before Redis was relied on again confirms nothing', async (t) => {
  const { world, letIn } = await checking();
  let reply = (_: GateAnswer): void => {};
  world.relies = false;
  world.gate = () => new Promise((resolve) => (reply = resolve));
  const late = letIn();
  world.relies = true;
  reply(answer);
  t.match(await late, { problem: 'revoked' });
});

test('the metric tells requests that memory served from reads of the database', async (t) => {
  const { world, letIn, counted } = await checking();
  t.same(await counted(), { database: 1 }, 'one that is not known yet');
  await letIn();
  t.same(await counted(), { database: 1, memory: 1 });
  world.gate = async () => ({ ...answer, fresh: false });
  world.stored = credential;
  await Promise.all([letIn(), letIn()]);
  t.same(await counted(), { database: 2, memory: 1 }, 'a version to confirm is read, for both');
  world.read = async () => Promise.reject(new Error('away'));
  await letIn();
  t.same(await counted(), { database: 3, memory: 2 }, 'a database that is away is asked too');
  await letIn();
  t.same(await counted(), { database: 4, memory: 3 }, 'each time, as it says so at once');
});

test('a former secret is good before the end of its grace time, and not at it', (t) => {
  const rotated = { ...credential, secretHash: 'new', previousHash: 'hash', previousExpiresAt: 5 };
  t.equal(credentialProblem(rotated, 'hash', 4), null);
  t.equal(credentialProblem(rotated, 'hash', 5), 'refused');
  t.equal(credentialProblem(rotated, 'new', 5), null);
  t.end();
});

test('a credential is good before its end, and neither at it nor for an inactive Client', (t) => {
  const ending = { ...credential, expiresAt: 5 };
  t.equal(credentialProblem(ending, 'hash', 4), null);
  t.equal(credentialProblem(ending, 'hash', 5), 'expired');
  t.equal(credentialProblem({ ...ending, clientActive: false }, 'hash', 4), 'refused');
  t.equal(credentialProblem(ending, 'of another', 4), 'refused');
  t.equal(credentialProblem(ending, null, 4), null, 'a token stands for the secret');
  t.end();
});
