/**
 * The errors of RFC 6749, section 5.2, and what a limit, an outage or a defect is called in its
 * section 4.1.2.1.
 */
export const oauthErrorCodes = [
  'invalid_request',
  'unsupported_grant_type',
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'server_error',
  'temporarily_unavailable',
] as const;
type OauthErrorCode = (typeof oauthErrorCodes)[number];

interface Answer {
  /** Default: 401 for invalid_client, else 400. */
  status?: number;
  headers?: Record<string, string>;
}

/** Thrown by the token endpoint; the description may be shown and changes nothing. */
export class OauthRefusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: OauthErrorCode,
    message: string,
    { status = code === 'invalid_client' ? 401 : 400, headers = {} }: Answer = {},
  ) {
    super(message);
    this.name = 'OauthRefusal';
    this.status = status;
    this.headers = headers;
  }
}
