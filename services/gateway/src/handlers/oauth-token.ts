import { assertOffered, type ClientCredentials, exchange } from '../authentication/exchange.js';
import type { Context } from '../context.js';
import { noStore } from '../errors/oauth-envelope.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { textProblem } from '../json/text-problem.js';
import type { Reply, RouteRequest } from '../request.js';

type TokenRequest = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'body' | 'authorization' | 'clientIp'
>;

/** POST /oauth/token: RFC 6749 client credentials, from the body or by HTTP Basic. */
export async function oauthToken(context: Context, request: TokenRequest): Promise<Reply> {
  const fields = request.body as Record<string, string>;
  const sent = sentCredentials(fields, request.authorization);
  assertOffered(context.config, sent);
  if (fields.grant_type !== 'client_credentials') {
    throw new OauthRefusal('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  const issued = await exchange(context, {
    ...whole(sent),
    scope: fields.scope ?? null,
    ip: request.clientIp,
  }).catch((error: unknown) => {
    throw withChallenge(error, request.authorization !== null);
  });
  return {
    status: 200,
    headers: { ...noStore },
    body: {
      access_token: issued.token,
      token_type: 'Bearer',
      expires_in: issued.expiresInSeconds,
      scope: issued.scope,
    },
  };
}

type Sent = Pick<ClientCredentials, 'clientId' | 'clientSecret'>;

/** What is there of them; empty is what is not. */
function sentCredentials(fields: Record<string, string>, authorization: string | null): Sent {
  const basic = authorization === null ? null : basicCredentials(authorization);
  if (basic && fields.client_secret !== undefined) {
    throw new OauthRefusal('invalid_request', 'Credentials are given twice.');
  }
  const { client_id: clientId = '', client_secret: clientSecret = '' } = fields;
  return basic ?? { clientId, clientSecret };
}

function whole({ clientId, clientSecret }: Sent): Sent {
  if (clientId === '') throw new OauthRefusal('invalid_request', 'client_id is missing.');
  if (textProblem(clientId) !== null) {
    throw new OauthRefusal(
      'invalid_request',
      'client_id contains characters that are not allowed.',
    );
  }
  if (clientSecret === '') throw new OauthRefusal('invalid_request', 'client_secret is missing.');
  return { clientId, clientSecret };
}

/** Both halves are form-encoded before they are joined, by RFC 6749, section 2.3.1. */
function basicCredentials(header: string): { clientId: string; clientSecret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(header)?.[1];
  if (!encoded) return null;
  const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    return { clientId: formDecoded(clientId), clientSecret: formDecoded(secret.join(':')) };
  } catch {
    throw new OauthRefusal('invalid_request', 'The Authorization header cannot be read.');
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** A challenge for who came with HTTP Basic. */
function withChallenge(error: unknown, basic: boolean): unknown {
  if (!(error instanceof OauthRefusal) || error.code !== 'invalid_client' || !basic) return error;
  return new OauthRefusal(error.code, error.message, {
    headers: { 'WWW-Authenticate': 'Basic realm="token"' },
  });
}
