import type { Environment } from '@countersign/kernel/environment';
import { isId } from '@countersign/kernel/id';
import type { Config } from '../config.js';
import type { Context } from '../context.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { unknownPath } from '../errors/refusal.js';
import { networkOf } from '../http/client-ip.js';
import { scopeText, type TokenClaims } from './access-token.js';
import { admitsAddress, type Credential, credentialProblem } from './credential.js';
import { addressNotAllowed, tooManyExchanges, tooManyFailedExchanges } from './refusals.js';
import { isScope, scopeNames } from './scopes.js';
import { hashSecret, oauthClientEnvironment } from './secrets.js';

type Parts = Pick<Context, 'authentication' | 'clock'>;

/** What a client sent to be recognised by. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
  /** Space-separated; null asks for everything the credential has. */
  scope: string | null;
  ip: string;
}

interface IssuedToken {
  token: string;
  expiresInSeconds: number;
  scope: string;
}

/**
 * The endpoint is not there for a client of an environment without OAuth, whatever else it sends or
 * leaves out. Only the sandbox has keys of Principals.
 */
export function assertOffered(
  { oauthEnvironments }: Pick<Config, 'oauthEnvironments'>,
  { clientId }: Pick<ClientCredentials, 'clientId'>,
): void {
  const environment = environmentOf(clientId);
  if (environment && !oauthEnvironments.includes(environment)) throw unknownPath();
}

/** Client credentials, or a Principal's id and key, for an access token; refusals of RFC 6749. */
export async function exchange(parts: Parts, given: ClientCredentials): Promise<IssuedToken> {
  const { authentication, clock } = parts;
  const takeOne = bucketsOf(parts, environmentOf(given.clientId) ?? 'sandbox');
  // Before the secret is looked up: so many tries of one network cost that, and only its own.
  await takeOne(`${given.clientId} ${networkOf(given.ip)}`);
  const credential = await verified(parts, given);
  if (!credential) {
    const blocked = await authentication.failures.count(given.ip);
    throw blocked ? tooManyFailedExchanges(blocked, clock()) : invalidClient();
  }
  if (!admitsAddress(credential, given.ip)) throw addressNotAllowed();
  // Only who has the secret counts here: a client id is no secret, and locks nobody out.
  await takeOne(given.clientId);
  const scopes = grantedScopes(credential, given.scope);
  const claims = toClaims(credential, scopes);
  const minted = await authentication.tokens.mint(claims, credential.expiresAt);
  return { ...minted, scope: scopeText(scopes) };
}

/** Ten a minute for each name; refuses where none is left. */
function bucketsOf({ authentication, clock }: Parts, environment: Environment) {
  return async (name: string): Promise<void> => {
    const rate = await authentication.gate.take({ id: hashSecret(name), environment }, 'token');
    if (rate && !rate.allowed) throw tooManyExchanges({ ...rate, waitMs: rate.oneInMs }, clock());
  };
}

/** The credential when id and secret belong together and are good; the same work when not. */
async function verified(
  { authentication: { reader }, clock }: Parts,
  { clientId, clientSecret }: ClientCredentials,
): Promise<Credential | null> {
  const hash = hashSecret(clientSecret);
  const ofPrincipal = isId('principal', clientId);
  const credential = ofPrincipal
    ? await reader.byHash(hash)
    : await reader.byOauthClientId(clientId);
  if (!credential || credentialProblem(credential, hash, clock()) !== null) return null;
  const matches = ofPrincipal
    ? credential.kind === 'principal_key' && credential.principalId === clientId
    : credential.kind === 'oauth_client';
  return matches ? credential : null;
}

function environmentOf(clientId: string): Environment | null {
  return isId('principal', clientId) ? 'sandbox' : oauthClientEnvironment(clientId);
}

/** What was asked for, within what the credential may do. */
function grantedScopes({ scopes }: Credential, asked: string | null): readonly string[] {
  const named = (asked ?? '').split(' ').filter((scope) => scope !== '' && scope !== '*');
  const wanted = [...new Set(named)];
  if (wanted.length === 0) return scopes;
  // A token for what is no scope would open nothing, and its owner would look for the reason there.
  if (!wanted.every(isScope)) {
    const words = scopeNames.join(', ');
    throw new OauthRefusal('invalid_scope', `scope must be some of ${words}, separated by spaces.`);
  }
  if (scopes.length > 0 && !wanted.every((scope) => scopes.includes(scope))) {
    throw new OauthRefusal('invalid_scope', 'The credential does not have the scope asked for.');
  }
  return wanted;
}

function toClaims(credential: Credential, scopes: readonly string[]): TokenClaims {
  const { principalId, clientId, environment } = credential;
  return {
    oauthClientId: credential.oauthClientId ?? principalId ?? clientId,
    credentialId: credential.id,
    subject: principalId ?? clientId,
    principalId,
    environment,
    scopes,
    access: credential.access,
  };
}

function invalidClient(): OauthRefusal {
  return new OauthRefusal('invalid_client', 'The client is unknown or its secret is not valid.');
}
