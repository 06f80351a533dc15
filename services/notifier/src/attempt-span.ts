import type { Trace, TraceSpan } from '@countersign/runtime/trace';
import type { DeliverParts, Job } from './deliver.js';
import { type AttemptResult, verdictOf } from './retry.js';

/**
 * An attempt in the trace of what caused it, however much later. Where it goes is the customer's
 * own affair: the trace has the webhook's id and no address, and the receiver hears of no trace.
 */
export function attemptSpan(job: Job, { tracer, environment }: DeliverParts): Trace {
  if (!tracer || !job.trace) return null;
  const facts = {
    'http.request.method': 'POST',
    'countersign.environment': environment,
    'countersign.webhook.id': job.webhook_id,
    'countersign.webhook.event': job.event,
    'countersign.delivery.id': job.id,
    'countersign.delivery.attempt': job.attempt_count + 1,
  };
  return tracer.resume(job.trace, 'deliver webhook', { kind: 'client', facts });
}

export function endAttempt(trace: TraceSpan, result: AttemptResult): void {
  const { statusCode, error } = result;
  const verdict = verdictOf(result);
  trace.set({
    'countersign.delivery.outcome': verdict,
    ...(statusCode !== null && { 'http.response.status_code': statusCode }),
  });
  if (verdict !== 'delivered') trace.fail(error ?? String(statusCode));
  trace.end();
}
