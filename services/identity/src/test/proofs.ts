import { randomUUID } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { toPublicKey } from '../agent/public-key.js';

/**
 * Test vectors of the proof format from an independent implementation, valid at `vectorTimeMs`.
 */
export const vectorTimeMs = 1_767_225_630_000;
export const vectorPrincipal = 'prn_01JZTESTPRINCIPAL0000000';
export const vectorAudience = 'https://api.example.com';

export const ed25519Vector = {
  did: 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw',
  jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  proof: [
    'eyJhbGciOiJFZERTQSIsInR5cCI6ImFnZW50LXJlZ2lzdHJhdGlvbi1wcm9vZitqd3QiLCJqd2siOnsia3R5Ijoi',
    'T0tQIiwiY3J2IjoiRWQyNTUxOSIsIngiOiIxMXFZQVlLeENyZlZTXzdUeVdRSE9nN2hjdlBhcGlNbHJ3SWFhUGNI',
    'VVJvIn19.eyJpc3MiOiJkaWQ6a2V5Ono2TWt0d3VwZG1MWFZWcVR6Q3c0aTQ2cjR1R3lvc0dYUm5SM1hqTjRacTd',
    'vTU1zdyIsInN1YiI6ImRpZDprZXk6ejZNa3R3dXBkbUxYVlZxVHpDdzRpNDZyNHVHeW9zR1hSblIzWGpONFpxN29',
    'NTXN3IiwiYXVkIjoiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20iLCJodG0iOiJQT1NUIiwiaHR1IjoiaHR0cHM6Ly9',
    'hcGkuZXhhbXBsZS5jb20vYXBpL3YxL2FnZW50cyIsInByaW5jaXBhbF9pZCI6InBybl8wMUpaVEVTVFBSSU5DSVB',
    'BTDAwMDAwMDAiLCJpYXQiOjE3NjcyMjU2MDAsImV4cCI6MTc2NzIyNTkwMCwianRpIjoiYjBlNWM3ZjItNmE1MS0',
    '0ZjBlLTlmNTctNmYyZjViOGYzYTExIn0.aKdOv87gSVNN_els113PINgLGS9uQZ36svcpql3pEtjT-y6MlqmjVGS',
    'OBiBbnagAbCLjX_aNHcfnbVhKsz6PCg',
  ].join(''),
};

export const p256Vector = {
  did: 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv',
  jwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
    y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
  },
  thumbprint: 'u7vrjwUEqr4_WVk1nfCx7nhirx2CrSvP9yUbAN4FNiQ',
  proof: [
    'eyJhbGciOiJFUzI1NiIsInR5cCI6ImFnZW50LXJlZ2lzdHJhdGlvbi1wcm9vZitqd3QiLCJqd2siOnsia3R5Ijoi',
    'RUMiLCJjcnYiOiJQLTI1NiIsIngiOiJpZ3JGbWkwd2h1aWhLbmo5UjNPbTFTb01waDcyd1VHZUZhQmJ6RzJ2em5z',
    'IiwieSI6ImVmc1g1YjEweDh5anlyajRueTNwR2ZMY1k3WGJ5MUt6Z3FPZHFuc3JKSU0ifX0.eyJpc3MiOiJkaWQ6',
    'a2V5OnpEbmFlcng5Q3RiUEoxcTM2VDVMbjV3WXQzTVFZZUdSRzVlaG5QQW14Y2Y1bURacHYiLCJzdWIiOiJkaWQ6',
    'a2V5OnpEbmFlcng5Q3RiUEoxcTM2VDVMbjV3WXQzTVFZZUdSRzVlaG5QQW14Y2Y1bURacHYiLCJhdWQiOiJodHRw',
    'czovL2FwaS5leGFtcGxlLmNvbSIsImh0bSI6IlBPU1QiLCJodHUiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9h',
    'cGkvdjEvYWdlbnRzIiwicHJpbmNpcGFsX2lkIjoicHJuXzAxSlpURVNUUFJJTkNJUEFMMDAwMDAwMCIsImlhdCI6',
    'MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1OTAwLCJqdGkiOiJiMGU1YzdmMi02YTUxLTRmMGUtOWY1Ny02ZjJmNWI4',
    'ZjNhMTEifQ.ClQ68G04d94FSAZO6U3lyeVig4J22ddGNoyEyprx6Jog08Cf9eK1bhYxxKE3iVqkL--u3Ktkem_OB',
    'Jk62oQ6nQ',
  ].join(''),
};

interface TestKey {
  alg: 'ES256' | 'EdDSA';
  jwk: JWK;
  did: string;
  thumbprint: string;
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
}

export async function makeKey(alg: TestKey['alg']): Promise<TestKey> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const { did } = await toPublicKey(jwk);
  return {
    alg,
    jwk,
    did,
    thumbprint: await calculateJwkThumbprint(jwk),
    privateKey: pair.privateKey,
  };
}

export interface ProofParts {
  principalId: string;
  audience: string;
  nowMs: number;
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
}

/** A valid proof, unless `header` or `claims` override a member (undefined removes it). */
export function makeProof(key: TestKey, parts: ProofParts): Promise<string> {
  const now = Math.floor(parts.nowMs / 1_000);
  const claims = {
    iss: key.did,
    sub: key.did,
    aud: parts.audience,
    htm: 'POST',
    htu: 'https://api.example.com/api/v1/agents',
    principal_id: parts.principalId,
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
    ...parts.claims,
  };
  const header = {
    typ: 'agent-registration-proof+jwt',
    alg: key.alg,
    jwk: key.jwk,
    ...parts.header,
  };
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(JSON.parse(JSON.stringify(header)))
    .sign(key.privateKey);
}
