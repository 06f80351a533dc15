import type { Trace, TraceSpan } from '@countersign/runtime/trace';
import type { DeliverParts, Job } from './deliver.js';
import { type AttemptResult, verdictOf } from './retry.js';

/**
 * The span of a delivery attempt, in the trace of its cause, however much later it runs. The URL
 * is confidential to the customer: the span has the webhook's id but no address, and no trace
 * context is sent to the receiver.
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
