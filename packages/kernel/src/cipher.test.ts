import { test } from 'tap';
import { Cipher, openBytes } from './cipher.js';

test('an encrypted secret can only be decrypted in its row and with its key', async (t) => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = new Cipher([first]).seal('whsec_x', 'webhook a');
  t.notOk(sealed.bytes.includes('whsec_x'));
  t.equal(new Cipher([first]).open(sealed, 'webhook a'), 'whsec_x');
  t.equal(new Cipher([second, first]).open(sealed, 'webhook a'), 'whsec_x', 'a former key');
  t.throws(() => new Cipher([first]).open(sealed, 'webhook b'), 'moved to another row');
  t.throws(() => new Cipher([second]).open(sealed, 'webhook a'), 'without its key');
  sealed.bytes.writeUInt8(sealed.bytes.readUInt8(30) ^ 1, 30);
  t.throws(() => new Cipher([first]).open(sealed, 'webhook a'), 'with a flipped bit');
  t.throws(() => new Cipher([first]).open({ ...sealed, bytes: Buffer.alloc(3) }, 'webhook a'));
});

test('two encryptions never share a nonce, which would reveal what both contain', async (t) => {
  const cipher = new Cipher([Buffer.alloc(32, 1)]);
  const nonces = Array.from({ length: 100 }, () =>
    cipher.seal('whsec_x', 'webhook a').bytes.subarray(0, 12).toString('hex'),
  );
  t.equal(new Set(nonces).size, 100);
});

test('what earlier releases have encrypted is decrypted', (t) => {
  const cipher = new Cipher([Buffer.alloc(32, 7)]);
  const keyId = '4f981d09fb3e';
  const bytes = Buffer.from('PPH0qGIR53x0DFA4LVsB8ESJG6m4n2SVFVtG2ziEC/SUlOvX', 'base64');
  t.ok(cipher.knows(keyId));
  t.equal(cipher.open({ keyId, bytes }, 'webhook wh_1'), 'whsec_é');
  const tokenKey = Buffer.from('AAECAwQFBgcICQoLUNgEoJtuLSwWUclTVm6KUhh+6A==', 'base64');
  t.same(openBytes(Buffer.alloc(32, 7), 'kid_1', tokenKey), Buffer.from([0, 255, 1]));
  t.end();
});
