import type { Environment } from '@countersign/kernel/environment';
import type { TraceCarrier } from '@countersign/kernel/event';
import type { Trace, Tracer, TraceSpan } from '@countersign/runtime/trace';
import type { Transition } from './status.js';

export interface Traced {
  /** The trace of the report; null if it was not sampled. */
  trace: TraceCarrier | null;
}

interface TracedSettlement extends Traced {
  id: string;
  authorizationId: string;
}

/**
 * Starts a span in the trace of the report. The payment has a separate trace, which its record
 * does not store; both name the authorization.
 */
export function settlementSpan(
  { id, authorizationId, trace }: TracedSettlement,
  { tracer, environment }: { tracer: Tracer | null; environment: Environment },
  name: string,
): Trace {
  if (!tracer || !trace) return null;
  const facts = {
    'countersign.environment': environment,
    'countersign.settlement.id': id,
    'countersign.authorization.id': authorizationId,
  };
  return tracer.resume(trace, name, { kind: 'internal', facts });
}

/**
 * Called only for checks that changed the status, as a transfer may be checked for a day. Spans
 * that are not ended are not exported.
 */
export function endCheck(
  span: TraceSpan,
  { status, confirmations }: Transition,
  chain: string,
): void {
  span.set({
    'countersign.chain': chain,
    'countersign.settlement.status': status,
    'countersign.settlement.confirmations': confirmations,
  });
  span.end();
}
