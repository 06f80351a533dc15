import { createHmac, timingSafeEqual } from 'node:crypto';
import { ConfigurationError, CountersignError } from './errors.js';
import type { WebhookEvent } from './webhook-event.js';

/** Not genuine, too old, or not an event: respond with a 4xx and ignore it. */
export class WebhookVerificationError extends CountersignError {
  override readonly name = 'WebhookVerificationError';

  constructor(reason: 'signature_missing' | 'signature_invalid' | 'stale' | 'malformed') {
    super(messages[reason], { code: reason });
  }
}

const messages = {
  signature_missing: 'There is no X-Service-Signature.',
  signature_invalid: 'No signature is that of the body; is it the raw body, and the right secret?',
  stale: 'The timestamp is too far from the clock of this machine.',
  malformed: 'The body is signed, and is no envelope of an event.',
};

export interface WebhookCheck {
  /** `whsec_…` of the webhook, or several. */
  secret: string | readonly string[];
  /** Maximum difference between the timestamp and now, either way; 5 minutes by default. */
  toleranceMs?: number | undefined;
  /** Replaces the system clock, in epoch milliseconds. */
  now?: number | undefined;
}

/** Headers of a Node request, of the Fetch API, or of a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

const defaultToleranceMs = 300_000;
const signatureHeader = 'x-service-signature';
/** During a rotation there are two. */
const maxSignatures = 8;

/**
 * Verifies a delivery and returns its event: signed with the secret, over exactly these bytes, and
 * recent. Deliveries may be repeated: deduplicate by `id`.
 *
 * @param rawBody The unparsed body.
 *
 * @param check `whsec_…` of the webhook, or options.
 *
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  check: string | WebhookCheck,
): WebhookEvent {
  const {
    secret,
    toleranceMs = defaultToleranceMs,
    now = Date.now(),
  } = typeof check === 'object' ? check : { secret: check };
  const secrets = typeof secret === 'object' ? secret : [secret];
  // With an empty secret anyone could sign, and an unset environment variable is undefined.
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each === '')) {
    throw new ConfigurationError('There is no signing secret to verify with.');
  }
  const signatures = signaturesIn(headers);
  if (signatures.length === 0) throw new WebhookVerificationError('signature_missing');
  // After that: anyone can send a request without a body, which frameworks show as undefined or {}.
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new ConfigurationError('Give the raw body: this one was parsed, or never read.');
  }
  const isGenuine = secrets
    .map((each) => createHmac('sha256', each).update(rawBody).digest())
    .flatMap((expected) => signatures.map((given) => same(given, expected)))
    .includes(true);
  if (!isGenuine) throw new WebhookVerificationError('signature_invalid');
  const event = envelopeIn(rawBody);
  // Written so that an invalid timestamp (NaN) is refused.
  const isFresh = Math.abs(now - Date.parse(event.timestamp)) <= toleranceMs;
  if (!isFresh) throw new WebhookVerificationError('stale');
  return event;
}

function signaturesIn(headers: WebhookHeaders): Buffer[] {
  // Duck-typed, because frameworks have Headers classes of their own.
  const header = isFetched(headers) ? headers.get(signatureHeader) : named(headers);
  return (header ?? '')
    .split(',', maxSignatures)
    .flatMap((value) => /^\s*sha256=([0-9a-f]{64})\s*$/i.exec(value)?.[1] ?? [])
    .map((hex) => Buffer.from(hex, 'hex'));
}

function isFetched(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function named(headers: Exclude<WebhookHeaders, Headers>): string | undefined {
  const [, value] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === signatureHeader) ?? [];
  return typeof value === 'object' ? value.join(',') : value;
}

function same(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function envelopeIn(rawBody: Uint8Array | string): WebhookEvent {
  const text = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString('utf8');
  try {
    const { id, event, timestamp, data } = JSON.parse(text) as Record<string, unknown>;
    const isText = [id, event, timestamp].every((each) => typeof each === 'string');
    if (isText && typeof data === 'object' && data !== null) {
      return { id, event, timestamp, data } as WebhookEvent;
    }
  } catch {
    // The caller reports it like any other malformed event.
  }
  throw new WebhookVerificationError('malformed');
}
