import { z } from 'zod';
import { sent } from './sent.js';
import { answeredTime } from './time.js';

export const environment = z.enum(['live', 'sandbox']).meta({ id: 'Environment' });

export const health = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    version: z.string().meta({ examples: ['0.1.0'] }),
    time: answeredTime(),
    checks: z.record(z.string(), z.string()).meta({ examples: [{ database: 'ok' }] }),
  })
  .meta({ id: 'Health' });

export const live = z.object({ status: z.literal('ok') }).meta({ id: 'Live' });

export const ready = z
  .object({ status: z.enum(['ok', 'down', 'stopping']), checks: z.record(z.string(), z.string()) })
  .meta({ id: 'Ready' });

const jwk = z
  .looseObject({
    kty: z.string().meta({ examples: ['EC'] }),
    crv: z
      .string()
      .optional()
      .meta({ examples: ['P-256'] }),
    x: z
      .string()
      .optional()
      .meta({ examples: ['igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns'] }),
    y: z
      .string()
      .optional()
      .meta({ examples: ['efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM'] }),
    kid: z.string().meta({ examples: ['u7vrjwUEqr4_WVk1nfCx7nhirx2CrSvP9yUbAN4FNiQ'] }),
    use: z.literal('sig'),
    alg: z.literal('ES256'),
  })
  .meta({ id: 'Jwk' });

export const jwks = z.object({ keys: z.array(jwk) }).meta({ id: 'Jwks' });

const publicKey = z
  .object({
    kid: z.string().meta({ examples: ['u7vrjwUEqr4_WVk1nfCx7nhirx2CrSvP9yUbAN4FNiQ'] }),
    env: environment,
    alg: z.literal('ES256'),
    status: z.enum(['NEXT', 'ACTIVE', 'RETIRED']),
    not_before: answeredTime(),
    retired_at: answeredTime().nullable(),
    revoked_at: answeredTime().nullable(),
    jwk,
    pem: z.string().meta({ examples: ['-----BEGIN PUBLIC KEY-----\n…'] }),
  })
  .meta({ id: 'PublicKey' });

export const publicKeys = z
  .object({
    issuer: z.string().meta({ examples: ['https://api.example.com'] }),
    keys: z.array(publicKey),
  })
  .meta({ id: 'PublicKeys' });

export const openapiDocument = z
  .looseObject({ openapi: z.string().meta({ examples: ['3.1.0'] }) })
  .meta({ id: 'OpenApiDocument' });

export const token = z
  .object({
    access_token: z.string().meta({ examples: ['eyJhbGciOiJFUzI1NiJ9.eyJ2ZXIiOjF9.c2lnbmF0dXJl'] }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ examples: [900] }),
    scope: z.string().meta({ examples: ['authorize agents'] }),
  })
  .meta({ id: 'Token' });

/** Only what OpenAPI shows: the exchange reads its body itself, by the rules of RFC 6749. */
export const tokenRequest = z
  .looseObject({
    grant_type: z.string().meta({ examples: ['client_credentials'] }),
    client_id: z
      .string()
      .optional()
      .meta({
        description: 'Here or by HTTP Basic; also a `prn_…`, whose sandbox key is the secret.',
        examples: ['svcoc_test_…'],
      }),
    client_secret: z
      .string()
      .optional()
      .meta({ description: 'Here or by HTTP Basic, not both.', examples: ['svcos_…'] }),
    scope: z
      .string()
      .optional()
      .meta({
        description:
          'Separated by spaces; at most the scopes of the credential, which are the default.',
        examples: ['authorize agents'],
      }),
  })
  .meta({
    id: 'TokenRequest',
    ...sent({
      grant_type: 'client_credentials',
      client_id: 'svcoc_test_…',
      client_secret: 'svcos_…',
    }),
  });
