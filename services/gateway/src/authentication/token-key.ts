import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type Environment, isEnvironment } from '@countersign/kernel/environment';
import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { PrismaClient } from '../db.js';

export interface TokenKey {
  kid: string;
  environment: Environment;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export type TokenKeyRow = Awaited<ReturnType<PrismaClient['tokenKey']['findMany']>>[number];

/** A new ES256 key: its id, its public half, and its private half as it is sealed. */
export async function newTokenKey(): Promise<{ kid: string; jwk: JWK; secret: Buffer }> {
  const { privateKey, publicKey } = freshKeyPair('P-256');
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  return { kid: await calculateJwkThumbprint(jwk), jwk, secret };
}

/** From its row and what was sealed in it. */
export function openedTokenKey(row: TokenKeyRow, secret: Buffer): TokenKey {
  const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return { kid: row.kid, environment: environmentOf(row), privateKey, publicKey };
}

function environmentOf({ kid, environment }: TokenKeyRow): Environment {
  if (!isEnvironment(environment)) throw new Error(`token key ${kid} has no environment`);
  return environment;
}
