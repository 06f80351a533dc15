import type { Environment } from '@countersign/kernel/environment';
import type { TraceCarrier } from '@countersign/kernel/event';
import type { Trace, Tracer, TraceSpan } from '@countersign/runtime/trace';
import type { Step } from './status.js';

/** A row with the trace of the report that made it; null for most. */
export interface Traced {
  trace: TraceCarrier | null;
}

interface About extends Traced {
  id: string;
  authorizationId: string;
}

/**
 * A step of a settlement in the trace of its report. The payment's own trace is another one: its
 * record keeps no trace, and both name the authorization.
 */
export function settlementSpan(
  { id, authorizationId, trace }: About,
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

/** Called for checks that changed the status only: a transfer may be checked for up to a day. */
export function endCheck(span: TraceSpan, { status, confirmations }: Step, chain: string): void {
  span.set({
    'countersign.chain': chain,
    'countersign.settlement.status': status,
    'countersign.settlement.confirmations': confirmations,
  });
  span.end();
}
