import { randomBytes } from 'node:crypto';
import { t as file, test } from 'tap';
import { TokenKeys } from '../authentication/token-keys.js';
import { sealingKey } from '../context.js';
import type { PrismaClient } from '../db.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica();
const { config, prisma, pool, tokenKeys } = gateway.context;
const cipherKey = sealingKey(config.secretsKey);

/** The keys of a replica that has just started, whose reads of the database a test answers. */
function cold() {
  let now = Date.now();
  const reads: Array<{ answer: () => void; fail: (error: Error) => void }> = [];
  const errors: unknown[] = [];
  const findMany = async () => {
    await new Promise<void>((answer, fail) => reads.push({ answer, fail }));
    return prisma.tokenKey.findMany();
  };
  const log = { warn: () => {}, error: (...line: unknown[]) => errors.push(line) };
  const keys = new TokenKeys({
    prisma: { tokenKey: { findMany } } as unknown as PrismaClient,
    cipherKey,
    formerKeys: [],
    clock: () => now,
    log: log as never,
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { keys, reads, errors, pass };
}

test('keys that were read in advance are known; of another the database is asked', async (t) => {
  const { kid } = await tokenKeys.signingKey('sandbox');
  const { keys, reads } = cold();
  const warm = keys.warmUp();
  reads[0]?.answer();
  await warm;
  t.equal((await keys.verificationKey(kid))?.kid, kid);
  t.equal(reads.length, 1);
  const made = keys.verificationKey('made by another replica a moment later');
  t.equal(reads.length, 2);
  reads[1]?.answer();
  t.equal(await made, null);
});

test('a replica starts although the keys cannot be read in advance', async (t) => {
  const { kid } = await tokenKeys.signingKey('sandbox');
  const { keys, reads } = cold();
  const warm = keys.warmUp();
  reads[0]?.fail(new Error('away'));
  await warm;
  const asked = keys.verificationKey(kid);
  reads[1]?.answer();
  t.equal((await asked)?.kid, kid, 'at the first request');
});

test('whoever comes while the keys are read waits for them', async (t) => {
  const { kid } = await tokenKeys.signingKey('sandbox');
  const { keys, reads } = cold();
  const asked = Promise.all(Array.from({ length: 20 }, () => keys.verificationKey(kid)));
  t.equal(reads.length, 1);
  reads[0]?.answer();
  for (const key of await asked) t.equal(key?.kid, kid);
  t.equal(await keys.verificationKey('unknown'), null, 'within a second of the last read');
  t.equal(reads.length, 1);
});

test('a token does not wait for a read that is never answered', async (t) => {
  const { keys } = cold();
  await t.rejects(keys.verificationKey('of another replica'), { code: 'SERVICE_UNAVAILABLE' });
});

test('where the keys cannot be read nobody is refused, and the database is spared', async (t) => {
  const { kid } = await tokenKeys.signingKey('sandbox');
  const { keys, reads, pass } = cold();
  const asked = await Promise.all([
    ...Array.from({ length: 20 }, () => keys.verificationKey(kid).catch((error) => error)),
    reads[0]?.fail(new Error('away')),
  ]);
  for (const error of asked.slice(0, 20)) t.match(error, { kind: 'unavailable' });
  pass(999);
  await t.rejects(keys.verificationKey(kid), { code: 'SERVICE_UNAVAILABLE' });
  t.equal(reads.length, 1);
  pass(1);
  const again = keys.verificationKey(kid);
  reads[1]?.answer();
  t.equal((await again)?.kid, kid);
});

test('a key that nobody can open keeps no other from being used', async (t) => {
  const { kid } = await tokenKeys.signingKey('sandbox');
  await pool.query(
    `INSERT INTO token_key (kid, environment, status, public_jwk, sealed_private)
     VALUES ('lost', 'sandbox', 'RETIRED', '{}', $1)`,
    [randomBytes(60)],
  );
  const { keys, reads, errors, pass } = cold();
  const asked = keys.verificationKey(kid);
  reads[0]?.answer();
  t.equal((await asked)?.kid, kid);
  await t.rejects(keys.verificationKey('lost'), { code: 'SERVICE_UNAVAILABLE' }, 'may be good');
  pass(1_000);
  const unknown = keys.verificationKey('unknown');
  reads[1]?.answer();
  t.equal(await unknown, null);
  t.match(errors, [[{ kid: 'lost' }]]);
  t.equal(errors.length, 1, 'one line, not one for each read');
});

test('a retired key signs no more tokens, and those that it signed stay good', async (t) => {
  const { kid: retired } = await tokenKeys.signingKey('sandbox');
  await pool.query(`UPDATE token_key SET status = 'RETIRED' WHERE kid = $1`, [retired]);
  const { tokenKeys: later } = (await world.replica()).context;
  t.equal((await later.verificationKey(retired))?.kid, retired);
  const { kid } = await later.signingKey('sandbox');
  t.not(kid, retired);
  const published = await later.publicKeys([]);
  const kids = published.map((key) => key.kid);
  t.ok(kids.includes(retired) && kids.includes(kid), 'both are published');
});

test('of two replicas that make the first key at once, both use the stored one', async (t) => {
  const { kid } = await tokenKeys.signingKey('live');
  // It looked before the other stored its key.
  const tokenKey = { count: async () => 0, findMany: () => prisma.tokenKey.findMany() };
  const $executeRaw = prisma.$executeRaw.bind(prisma);
  const { clock, log } = gateway.context;
  const late = new TokenKeys({
    prisma: { tokenKey, $executeRaw } as unknown as PrismaClient,
    cipherKey,
    formerKeys: [],
    clock,
    log,
  });
  t.equal((await late.signingKey('live')).kid, kid);
});
