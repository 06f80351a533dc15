import { sign, verify } from 'node:crypto';
import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';
import { test } from 'tap';
import { rawSignature } from './raw-signature.js';

test('integers are padded to 32 bytes, and lose the zero of their sign', async (t) => {
  const long = Buffer.alloc(32, 0xff);
  const short = Buffer.from([0x01, 0x02]);
  const der = (r: Buffer, s: Buffer) =>
    Buffer.from([0x30, r.length + s.length + 4, 0x02, r.length, ...r, 0x02, s.length, ...s]);
  const signed = Buffer.concat([Buffer.alloc(1), long]);
  const padded = Buffer.concat([Buffer.alloc(30), short]);
  t.strictSame(rawSignature(der(signed, short)), Buffer.concat([long, padded]));
  t.strictSame(rawSignature(der(short, signed)), Buffer.concat([padded, long]));
});

test('the result is the signature in the format of JWS', async (t) => {
  const { privateKey, publicKey } = freshKeyPair('P-256');
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  // One of 128 signatures has an integer that is shorter than 32 bytes.
  for (let round = 0; round < 500; round += 1) {
    const bytes = Buffer.from(`payment ${round}`);
    const signature = rawSignature(sign('sha256', bytes, privateKey));
    if (!verify('sha256', bytes, key, signature)) t.fail(`round ${round}`);
  }
});
