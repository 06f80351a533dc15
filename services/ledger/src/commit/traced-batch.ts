import type { CommitResponse } from '@countersign/proto/ledger';
import { blame, type TraceSpan } from '@countersign/runtime/trace';
import type { Pending } from './pending.js';

type Send = (batch: readonly Pending[]) => Promise<Array<CommitResponse | null>>;

export function isTraced(batch: readonly Pending[]): boolean {
  for (const { trace } of batch) if (trace) return true;
  return false;
}

/** Payments share a transaction; each traced payment gets a span for it in its own trace. */
export async function sendTraced(
  batch: readonly Pending[],
  send: Send,
): Promise<Array<CommitResponse | null>> {
  const facts = {
    'db.system.name': 'postgresql',
    'db.operation.name': 'commit',
    'countersign.batch.size': batch.length,
  } as const;
  const spans = batch.map(({ trace }) => trace?.child('commit to PostgreSQL', facts, 'client'));
  try {
    const responses = await send(batch);
    for (const [index, span] of spans.entries()) if (span) recordOutcome(span, responses[index]);
    return responses;
  } catch (error) {
    for (const span of spans) if (span) blame(span, error);
    throw error;
  } finally {
    for (const span of spans) span?.end();
  }
}

/** A proposal without a response is sent again. */
function recordOutcome(span: TraceSpan, response: CommitResponse | null | undefined): void {
  span.set({ 'countersign.commit.outcome': response?.outcome ?? 'again' });
}
