/** The errors of RFC 6749, section 5.2, and what a limit or an outage is called there. */
export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable';

/** Thrown by the token endpoint; the description may be shown and changes nothing. */
export class OauthRefusal extends Error {
  constructor(
    readonly code: OauthErrorCode,
    message: string,
    readonly status = code === 'invalid_client' ? 401 : 400,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'OauthRefusal';
  }
}
