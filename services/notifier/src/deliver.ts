import type { Cipher } from '@countersign/kernel/cipher';
import { type Clock, isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { TraceCarrier } from '@countersign/kernel/event';
import type { Logger } from '@countersign/runtime/log';
import type { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import type { Tracer } from '@countersign/runtime/trace';
import type { Poster } from './post.js';
import type { AttemptResult } from './retry.js';
import { envelopeBytes, signatureHeader } from './sign.js';

/** A claimed delivery, as the claim statement returns it. */
export interface Job {
  id: string;
  webhook_id: string;
  principal_id: string;
  event_id: string;
  event: string;
  data: string;
  attempt_count: number;
  attempts_left: number;
  lease: string;
  url: string;
  active: boolean;
  secret: Buffer;
  secret_key_id: string;
  previous_secret: Buffer | null;
  previous_secret_key_id: string | null;
  /** Trace context of the request that caused it; null for most. */
  trace: TraceCarrier | null;
}

export interface DeliverParts {
  environment: Environment;
  cipher: Cipher;
  guard: UrlGuard;
  poster: Poster;
  clock: Clock;
  tracer: Tracer | null;
  log: Logger;
}

/** The context with which a signing secret is encrypted; see Cipher. */
export function secretPlace(webhookId: string): string {
  return `webhook ${webhookId} signing secret`;
}

/**
 * One delivery attempt. Timestamp and signature are computed for each attempt, so that a late
 * delivery is within the five minutes that receivers tolerate; the id stays the same.
 */
export async function attempt(job: Job, parts: DeliverParts): Promise<AttemptResult> {
  const at = isoTime(parts.clock());
  const refused = { at, statusCode: null, durationMs: 0 };
  if (parts.guard.mayCall(job.url, parts.environment)) return { ...refused, error: 'URL_REFUSED' };
  const secrets = openSecrets(job, parts);
  if (!secrets) return { ...refused, error: 'SECRET_UNAVAILABLE' };
  const body = envelopeBytes({ id: job.event_id, event: job.event, timestamp: at, data: job.data });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event': job.event,
    'x-service-signature': signatureHeader(body, secrets),
    'x-service-delivery-attempt': String(job.attempt_count + 1),
  };
  return { at, ...(await parts.poster.post({ url: job.url, headers, body })) };
}

/**
 * The current secret and, during a rotation, the previous one; null if they cannot be decrypted.
 */
function openSecrets(job: Job, { cipher, log }: DeliverParts): string[] | null {
  const place = secretPlace(job.webhook_id);
  try {
    const current = cipher.open({ keyId: job.secret_key_id, bytes: job.secret }, place);
    const { previous_secret: bytes, previous_secret_key_id: keyId } = job;
    return bytes && keyId ? [current, cipher.open({ keyId, bytes }, place)] : [current];
  } catch (error) {
    // Most likely SECRETS_KEY was changed: deliveries wait until the former key is configured too.
    log.error({ err: error, webhookId: job.webhook_id }, 'signing secret cannot be decrypted');
    return null;
  }
}
