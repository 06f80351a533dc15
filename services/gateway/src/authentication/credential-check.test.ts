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
  const world = { stored: credential, relies: true, gate: async (): Promise<GateAnswer> => answer };
  const check = new CredentialCheck({
    reader: {} as CredentialReader,
    gate: { pass: () => world.gate(), fill: () => {} } as unknown as Gate,
    clock: () => 0,
    log: {} as never,
    reliesOnRedis: () => world.relies,
  });
  const read = async () => world.stored;
  const letIn = () => check.check({ hash: 'hash', cacheKey: 'key hash', read }, attempt);
  await letIn();
  world.stored = revoked;
  return { world, letIn };
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

test('a former secret is good before the end of its grace time, and not at it', (t) => {
  const rotated = { ...credential, secretHash: 'new', previousHash: 'hash', previousExpiresAt: 5 };
  t.equal(credentialProblem(rotated, 'hash', 4), null);
  t.equal(credentialProblem(rotated, 'hash', 5), 'refused');
  t.equal(credentialProblem(rotated, 'new', 5), null);
  t.end();
});
