/** Every code that an error can carry, for the published description. */
export interface ErrorCode {
  code: string;
  /** HTTP statuses it comes with. */
  status: string;
  meaning: string;
}

/** The codes of one envelope, for the page. */
export interface ErrorTable {
  title: string;
  envelope: string;
  codes: readonly ErrorCode[];
}

type Row = readonly [code: string, status: string, meaning: string];

/** Types of `details.errors` that say more than that a value has not the right form. */
const ruleTypes = [
  'Of form, among others: `required`, `unrecognized_keys`, `invalid_type`, `invalid_value`, ' +
    '`invalid_format`, `invalid_length`, `out_of_range`, `not_decimal`, `not_positive`, ' +
    '`too_many_decimals`, `inexact_number`, `too_small`, `too_big`, `too_large`, `too_deep`, ' +
    '`invalid_country`, `invalid_currency`, `invalid_characters` (NUL, half of a surrogate pair, ' +
    'U+E000, U+E001); beyond 1,000 errors or 256 KiB `too_many_errors`.',
  'Principals: `attestation_required`, `invalid_phone_format`, `verification_mode_not_allowed`.',
  'Agents: `transition_not_allowed` (out of REVOKED), `program_closed` (`POST /agents`), ' +
    '`invalid_did`; of a key `unsupported_key`, ' +
    '`private_key_present`, `invalid_point`; of its proof `missing`, `malformed`, `invalid_typ`, ' +
    '`alg_not_allowed`, `signature_invalid`, `jwk_mismatch`, `did_mismatch`, `aud_mismatch`, ' +
    '`principal_mismatch`, `expired`, `replayed`.',
  'Mandates: `agent_revoked`, `limit_above_program_ceiling` and `rail_not_enabled` ' +
    '(`POST /mandates`), `crypto_required`, `crypto_not_allowed`.',
  'Payments: `idempotency_key_reuse`, `transaction_unknown`, `crypto_required`, ' +
    '`crypto_not_allowed`, `currency_mismatch`, `value_exceeds_amount`; reversals ' +
    '`exceeds_authorized`, `ambiguous`.',
  'Settlements: `unknown_chain`, `unknown_asset`, `chain_mismatch`. Webhooks: ' +
    '`fraud_triage_disabled`. Cases: `already_resolved`. Thresholds: `order`. Lists: ' +
    '`invalid_cursor`.',
];

const platform: Row[] = [
  [
    'VALIDATION_ERROR',
    '422',
    'Body, path or query is not valid; `details.errors` names each field, with a type.' +
      `\n\n${ruleTypes.join('\n\n')}`,
  ],
  ['INVALID_API_KEY', '401', 'No X-API-Key, or a key that is not valid on this endpoint.'],
  ['API_KEY_EXPIRED', '401', 'The key of a Principal is past its expiry.'],
  ['API_KEY_REVOKED', '401', 'The key of a Principal is revoked.'],
  ['AGENT_NOT_FOUND', '404', 'No such Agent, or not yours.'],
  ['PRINCIPAL_NOT_FOUND', '404', 'No such Principal, or not yours.'],
  ['MANDATE_NOT_FOUND', '404', 'No such Mandate, or not yours.'],
  ['NOT_FOUND', '404', 'No such resource or path, or not yours.'],
  ['TENANT_MISMATCH', '403', 'The resource belongs to another Principal of this Client.'],
  ['KYC_REQUIRED', '403', 'The Principal has not completed its verification.'],
  ['STEP_UP_REQUIRED', '400', 'The challenge cannot be answered: expired, answered, or refused.'],
  [
    'RATE_LIMITED',
    '429',
    'Too many requests or failed authentications; wait `Retry-After` seconds.',
  ],
  ['INTERNAL_ERROR', '500', 'A fault on our side; safe to try again with backoff.'],
  ['SERVICE_UNAVAILABLE', '503', 'A part of the service is away; safe to try again with backoff.'],
  ['BAD_REQUEST', '400', 'The request cannot be read, or names nothing to do.'],
  ['CONFLICT', '409', 'What would be created exists already, or its Principal was erased.'],
  ['UNAUTHORIZED', '401', 'The credential is not accepted.'],
  ['FORBIDDEN', '403', 'The credential may not do this.'],
  ['MANDATE_VIOLATION', '422', 'A mandate does not allow this.'],
  ['UNKNOWN_ERROR', '5xx', 'A failure without a message.'],
  [
    'ERROR',
    'varies',
    'No more specific code. 401: a Bearer token that is not valid, or a Client that has several ' +
      'Principals, or none, where X-Principal-Id is missing (`details.errors` has the type ' +
      '`principal_required`). 403: scope or IP refused (`details.errors` has the type ' +
      '`scope_missing`, `read_access`, `spend_access` or `address_not_allowed`), ' +
      'X-Principal-Id outside the Client, the crypto rail not enabled in the environment. 405: ' +
      'not a method of the path; `Allow` has those that are. 408: the body did not arrive in ' +
      'time. 413: it is too large. 415: a media type that is not taken. 422: too many webhooks, ' +
      'or a webhook URL that may not be called; then `details.errors` has the type ' +
      '`url_malformed`, `url_too_long`, `scheme_not_https`, `credentials_in_url`, ' +
      '`port_not_allowed`, `name_not_resolved` or `address_not_public`.',
  ],
];

const onboarding: Row[] = [
  ['program_not_owned', '422', 'A program_id does not belong to the Client.'],
  ['duplicate_client_customer_ref', '409', 'The reference exists already for the Client.'],
  [
    'principal_not_in_program',
    '422',
    'The Agent needs a program_id among the Programs of its Principal.',
  ],
  ['program_closed', '422', 'The Program is CLOSED: it takes no new Principal and no new Agent.'],
  ['agent_revoked', '422', 'The Agent is revoked for good: it takes no new Mandate.'],
  ['rail_not_enabled', '422', "A rail is not enabled on the Agent's Program."],
  ['limit_above_program_ceiling', '422', 'A limit is above what the Program allows.'],
  ['verification_not_pending', '422', 'There is no pending verification to resolve.'],
  ['principal_not_found', '404', 'No such Principal.'],
  ['idempotency_key_reuse', '422', 'The Idempotency-Key was used with a different request.'],
  [
    'idempotency_key_in_progress',
    '409',
    'The first request with this Idempotency-Key is still running.',
  ],
  ['sandbox_only', '403', 'Exists only in the sandbox.'],
  ['too_many_sandbox_keys', '422', 'The Principal has as many sandbox keys as it can have: 100.'],
];

const oauth: Row[] = [
  [
    'invalid_request',
    '400, 408, 413 or 415',
    'client_id or client_secret is missing, or the body cannot be read.',
  ],
  ['unsupported_grant_type', '400', 'grant_type is not client_credentials.'],
  ['invalid_client', '401', 'Unknown id, wrong secret, or a credential that is no longer valid.'],
  [
    'invalid_scope',
    '400',
    'A scope was asked for that the credential does not have, or that there is not.',
  ],
  ['unauthorized_client', '403', 'The credential may not be used from this address.'],
  ['server_error', '500', 'A fault on our side; safe to try again with backoff.'],
  [
    'temporarily_unavailable',
    '429 or 503',
    'Too many requests or failed authentications, or a part is away; try again.',
  ],
];

/** By envelope: `error.code`, the flat `error` of the onboarding plane, the `error` of OAuth. */
export const errorCatalog = {
  platform: platform.map(errorCode),
  onboarding: onboarding.map(errorCode),
  oauth: oauth.map(errorCode),
};

function errorCode([code, status, meaning]: Row): ErrorCode {
  return { code, status, meaning };
}

export const platformForm = '{"error": {"code", "message", "request_id", "docs_url", "details"}}';

export const errorTables: readonly ErrorTable[] = [
  { title: 'Platform codes', envelope: platformForm, codes: errorCatalog.platform },
  {
    title: 'Onboarding codes',
    envelope: '{"error", "message", "status", "request_id"}',
    codes: errorCatalog.onboarding,
  },
  { title: 'OAuth codes', envelope: '{"error", "error_description"}', codes: errorCatalog.oauth },
];
