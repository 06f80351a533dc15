import { Fault } from '@countersign/kernel/fault';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { test } from 'tap';
import {
  ed25519Vector,
  makeKey,
  makeProof,
  type ProofParts,
  p256Vector,
  vectorAudience,
  vectorPrincipal,
  vectorTimeMs,
} from '../test/proofs.js';
import { didMethod } from './did.js';
import { decodeDidKey, encodeDidKey, generateDidKey } from './did-key.js';
import { readPublicKey } from './public-key.js';
import { type ProofExpectation, verifyRegistrationProof } from './registration-proof.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'base64url');

async function problemOf(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === 'function' ? work() : work);
    return 'holds';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const [first] = error.errors ?? [];
    return `${first?.field}:${first?.type}`;
  }
}

test('did:key encoding and decoding match the published test vectors', async (t) => {
  const ed25519 = [
    [
      'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik',
      'z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    ],
    [
      'TLWr9q15-_WrvMr8wmnYXNJlHtS4hbWGnyQa7fCluik',
      'z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG',
    ],
    [
      '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      'z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw',
    ],
  ] as const;
  for (const [x, encoded] of ed25519) {
    const did = `did:key:${encoded}`;
    t.equal(encodeDidKey({ curve: 'Ed25519', x: bytes(x) }), did);
    t.same(Buffer.from(decodeDidKey(did)?.x ?? []), bytes(x));
  }
  const p256 = [
    [
      'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
      'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
      'zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv',
    ],
    [
      'fyNYMN0976ci7xqiSdag3buk-ZCwgXU4kz9XNkBlNUI',
      'hW2ojTNfH7Jbi8--CJUo3OCbH3y5n91g-IMA9MLMbTU',
      'zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
    ],
  ] as const;
  for (const [x, y, encoded] of p256) {
    const did = `did:key:${encoded}`;
    t.equal(encodeDidKey({ curve: 'P-256', x: bytes(x), y: bytes(y) }), did);
    const key = decodeDidKey(did);
    t.ok(key?.curve === 'P-256' && Buffer.from(key.y).equals(bytes(y)), 'decompressed');
  }
});

test('a did:key must encode a supported key; DIDs of other methods are accepted', async (t) => {
  const encode = (body: number[]): string => {
    const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    let value = BigInt(`0x${Buffer.from(body).toString('hex')}`);
    let text = '';
    for (; value > 0n; value /= 58n) text = digits[Number(value % 58n)] + text;
    return `did:key:z${text}`;
  };
  const point = [...bytes(ed25519Vector.jwk.x)];
  t.equal(encode([0xed, 1, ...point]), ed25519Vector.did, 'the encoder of this test is correct');
  const smallOrder = ed25519.Point.fromHex(ED25519_TORSION_SUBGROUP[1] ?? '');
  const mixedOrder = ed25519.Point.BASE.add(smallOrder);
  const refused = {
    'one byte short': encode([0xed, 1, ...point.slice(1)]),
    'one byte more': encode([0xed, 1, ...point, 0]),
    'the identity, of small order': encode([0xed, 1, 1, ...Array.from({ length: 31 }, () => 0)]),
    'a point with a part of small order': encode([0xed, 1, ...mixedOrder.toBytes()]),
    'y not below the prime': encode([
      0xed,
      1,
      0xee,
      ...Array.from({ length: 30 }, () => 0xff),
      0x7f,
    ]),
    'no point on P-256': encode([0x80, 0x24, 2, ...Array.from({ length: 32 }, () => 0xff)]),
    secp256k1: encode([0xe7, 1, 2, ...point]),
    'base64url multibase': 'did:key:u7QHXWpgBgrEKt9VL_tPJZAc6DuFy89qmIyWvAhpo9wdRGg',
    'a leading 1': ed25519Vector.did.replace(':z', ':z1'),
    'a fragment': `${ed25519Vector.did}#key`,
    'no DID': 'agent-7',
    'an empty id': 'did:web:',
    'longer than 2048 characters': `did:web:${'x'.repeat(2_041)}`,
  };
  for (const [what, did] of Object.entries(refused)) {
    t.equal(await problemOf(() => didMethod(did)), 'did:invalid_did', what);
  }
  t.equal(didMethod('did:web:agents.example.com:user:alice'), 'web');
  t.equal(didMethod('did:example:a%20b::c'), 'example');
  t.equal(didMethod(`did:web:${'x'.repeat(2_040)}`), 'web');
  t.equal(didMethod(p256Vector.did), 'key');
  const drawn = generateDidKey();
  t.match(drawn, /^did:key:z6Mk/);
  t.not(drawn, generateDidKey());
  t.equal(didMethod(drawn), 'key');
});

test('a public key is exactly a P-256 or Ed25519 public key', async (t) => {
  const ec = p256Vector.jwk;
  const read = (jwk: unknown) => readPublicKey(JSON.stringify(jwk));
  t.match(await read(ec), {
    thumbprint: p256Vector.thumbprint,
    did: p256Vector.did,
    viCapable: true,
  });
  t.match(await read(ed25519Vector.jwk), {
    thumbprint: ed25519Vector.thumbprint,
    did: ed25519Vector.did,
    viCapable: false,
  });
  const spoken = { ...ec, kid: 'k1', use: 'sig', alg: 'ES256', key_ops: ['verify'] };
  t.same((await read(spoken)).jwk, { ...ec, kid: 'k1' });
  const refused: Array<[unknown, string]> = [
    [{ ...ec, d: 'AAAA' }, 'private_key_present'],
    [{ kty: 'oct', k: 'AAAA' }, 'private_key_present'],
    [{ ...ec, crv: 'P-384' }, 'unsupported_key'],
    [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, 'unsupported_key'],
    [{ ...ec, use: 'enc' }, 'unsupported_key'],
    [{ ...ec, alg: 'EdDSA' }, 'unsupported_key'],
    [{ ...ec, key_ops: ['sign'] }, 'unsupported_key'],
    [{ ...ec, x5c: [] }, 'unsupported_key'],
    [{ ...ec, kid: 'k'.repeat(257) }, 'unsupported_key'],
    [{ ...ed25519Vector.jwk, y: ec.y }, 'unsupported_key'],
    [[], 'unsupported_key'],
    [{ ...ec, y: ec.x }, 'invalid_point'],
    [{ ...ec, x: `${ec.x}=` }, 'invalid_point'],
    [{ ...ec, x: `${ec.x.slice(0, -1)}t` }, 'invalid_point'],
    [{ ...ed25519Vector.jwk, x: 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'invalid_point'],
    [{ ...ed25519Vector.jwk, x: undefined }, 'invalid_point'],
  ];
  for (const [jwk, problem] of refused) {
    t.equal(await problemOf(read(jwk)), `public_key_jwk:${problem}`, JSON.stringify(jwk));
  }
  t.equal(await problemOf(readPublicKey('{')), 'public_key_jwk:unsupported_key');
});

async function vectorExpectation(vector: { jwk: object; did: string }): Promise<ProofExpectation> {
  return {
    publicKey: await readPublicKey(JSON.stringify(vector.jwk)),
    did: vector.did,
    principalId: vectorPrincipal,
    audience: vectorAudience,
    target: `${vectorAudience}/api/v1/agents`,
    nowMs: vectorTimeMs,
  };
}

test('the test vectors verify, but only at their time and for their subject', async (t) => {
  for (const vector of [ed25519Vector, p256Vector]) {
    const expected = await vectorExpectation(vector);
    const problem = (given: Partial<ProofExpectation>) =>
      problemOf(verifyRegistrationProof(vector.proof, { ...expected, ...given }));
    t.same(await verifyRegistrationProof(vector.proof, expected), {
      jti: 'b0e5c7f2-6a51-4f0e-9f57-6f2f5b8f3a11',
      expiresAtMs: (1_767_225_900 + 60) * 1_000,
    });
    t.equal(await problem({ nowMs: (1_767_225_600 - 60) * 1_000 }), 'holds', '60 s early');
    t.equal(await problem({ nowMs: (1_767_225_900 + 60) * 1_000 }), 'holds', '60 s late');
    const field = 'registration_proof';
    t.equal(await problem({ nowMs: (1_767_225_600 - 61) * 1_000 }), `${field}:expired`);
    t.equal(await problem({ nowMs: (1_767_225_900 + 61) * 1_000 }), `${field}:expired`);
    t.equal(await problem({ audience: `${vectorAudience}/sandbox` }), `${field}:aud_mismatch`);
    t.equal(await problem({ target: `${vectorAudience}/agents` }), `${field}:aud_mismatch`);
    t.equal(await problem({ principalId: 'prn_other' }), `${field}:principal_mismatch`);
    t.equal(await problem({ did: 'did:web:other' }), `${field}:did_mismatch`);
    const other = vector === p256Vector ? ed25519Vector : p256Vector;
    const { publicKey } = await vectorExpectation(other);
    t.equal(await problem({ publicKey }), `${field}:jwk_mismatch`);
    const [head = '', body = '', signature = ''] = vector.proof.split('.');
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    t.equal(
      await problemOf(verifyRegistrationProof(`${head}.${body}.${flipped}`, expected)),
      `${field}:signature_invalid`,
    );
  }
});

const nowMs = Date.now();
const parts: ProofParts = { principalId: vectorPrincipal, audience: vectorAudience, nowMs };

async function problemWith(
  alg: 'ES256' | 'EdDSA',
  given: Pick<ProofParts, 'header' | 'claims'>,
): Promise<string> {
  const key = await makeKey(alg);
  const proof = await makeProof(key, { ...parts, ...given });
  const expected = { ...(await vectorExpectation(key)), nowMs };
  return problemOf(verifyRegistrationProof(proof, expected));
}

test('every claim and header member of a proof is checked', async (t) => {
  const now = Math.floor(nowMs / 1_000);
  const cases: Array<[Pick<ProofParts, 'header' | 'claims'>, string]> = [
    [{}, ''],
    [{ header: { typ: 'JWT' } }, 'invalid_typ'],
    [{ header: { typ: undefined } }, 'invalid_typ'],
    [{ header: { kid: 'k' } }, 'malformed'],
    [{ header: { jwk: undefined } }, 'malformed'],
    [{ header: { jwk: { ...p256Vector.jwk, d: 'AAAA' } } }, 'malformed'],
    [{ header: { jwk: p256Vector.jwk } }, 'jwk_mismatch'],
    [{ claims: { iss: 'did:key:other' } }, 'did_mismatch'],
    [{ claims: { sub: 'did:key:other' } }, 'did_mismatch'],
    [{ claims: { sub: undefined } }, 'malformed'],
    [{ claims: { aud: [vectorAudience, 'https://other.example'] } }, 'aud_mismatch'],
    [{ claims: { htm: 'GET' } }, 'aud_mismatch'],
    [{ claims: { htu: 'https://api.example.com/api/v1/agents?x=1' } }, 'aud_mismatch'],
    [{ claims: { principal_id: 'prn_other' } }, 'principal_mismatch'],
    [{ claims: { exp: now + 301 } }, 'expired'],
    [{ claims: { iat: now + 61, exp: now + 90 } }, 'expired'],
    [{ claims: { exp: now - 1 } }, 'expired'],
    [{ claims: { iat: `${now}` } }, 'malformed'],
    [{ claims: { jti: 'j'.repeat(21) } }, 'malformed'],
    [{ claims: { jti: 'j'.repeat(22) } }, ''],
    [{ claims: { jti: undefined } }, 'malformed'],
    [{ claims: { padding: 'x'.repeat(4_096) } }, 'malformed'],
  ];
  for (const alg of ['ES256', 'EdDSA'] as const) {
    for (const [given, problem] of cases) {
      const expected = problem ? `registration_proof:${problem}` : 'holds';
      t.equal(
        await problemWith(alg, given),
        expected,
        `${alg} ${JSON.stringify(given).slice(0, 80)}`,
      );
    }
  }
});

test('a proof that is not a compact JWS or names another algorithm is refused', async (t) => {
  const expected = await vectorExpectation(ed25519Vector);
  const problem = (proof: string) => problemOf(verifyRegistrationProof(proof, expected));
  const [head = '', body = '', signature = ''] = ed25519Vector.proof.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const withAlg = (alg: unknown) =>
    `${Buffer.from(JSON.stringify({ ...header, alg })).toString('base64url')}.${body}.${signature}`;
  t.equal(await problem(''), 'registration_proof:missing');
  t.equal(await problem(`${head}.${body}`), 'registration_proof:malformed');
  t.equal(await problem(`${head}=.${body}.${signature}`), 'registration_proof:malformed');
  t.equal(
    await problem(`${head}.${Buffer.from('[]').toString('base64url')}.${signature}`),
    'registration_proof:malformed',
  );
  t.equal(
    await problem(`${Buffer.from([0xff]).toString('base64url')}.${body}.${signature}`),
    'registration_proof:malformed',
  );
  const withBody = (text: string) => problem(`${head}.${text}.${signature}`);
  const canonical = Buffer.from('{"a":1 }').toString('base64url');
  t.equal(await withBody(canonical), 'registration_proof:signature_invalid');
  const spare = canonical.replace(/0$/, '1');
  t.equal(await withBody(spare), 'registration_proof:malformed', 'the same bytes, spelled anew');
  const noText = Buffer.from('{"a":"\xff"}', 'latin1').toString('base64url');
  t.equal(await withBody(noText), 'registration_proof:malformed', 'not UTF-8');
  t.equal(await problem(withAlg('none')), 'registration_proof:alg_not_allowed');
  t.equal(await problem(withAlg('HS256')), 'registration_proof:alg_not_allowed');
  t.equal(await problem(withAlg('ES256')), 'registration_proof:alg_not_allowed');
});
