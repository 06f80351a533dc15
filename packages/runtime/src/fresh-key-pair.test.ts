import { execFile } from 'node:child_process';
import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { test } from 'tap';
import { freshKeyPair } from './fresh-key-pair.js';

/** Garbage is collected all the time, mostly within an export: the heap is kept at its smallest. */
const flags = ['--max-semi-space-size=1', '--heap-growing-percent=2', '--input-type=module'];

/** Kept objects make the collections whole ones, which also end what generated the keys. */
const program = (curve: string): string => `
  import { freshKeyPair } from ${JSON.stringify(new URL('fresh-key-pair.js', import.meta.url))};
  const kept = new Array(8_000).fill(null);
  for (let pair = 0; pair < 8_000; pair += 1) {
    const { publicKey } = freshKeyPair('${curve}');
    const { x } = publicKey.export({ format: 'jwk' });
    kept[(pair * 7_919) % kept.length] = { x, pair: [pair], bytes: Buffer.from(x, 'base64url') };
  }
  process.stdout.write('done');`;

for (const curve of ['Ed25519', 'P-256'] as const) {
  test(`a process that generates many ${curve} keys never waits for itself`, async (t) => {
    const args = [...flags, '--eval', program(curve)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 40_000 });
    t.equal(stdout, 'done');
  });
}

test('what a fresh private key signs, its public key verifies', (t) => {
  const bytes = Buffer.from('a payment');
  const edwards = freshKeyPair('Ed25519');
  t.ok(verify(null, bytes, edwards.publicKey, sign(null, bytes, edwards.privateKey)));
  const { privateKey, publicKey } = freshKeyPair('P-256');
  t.ok(verify('sha256', bytes, publicKey, sign('sha256', bytes, privateKey)));
  t.end();
});
