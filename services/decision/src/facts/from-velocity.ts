import type { Environment } from '@countersign/kernel/environment';
import { ending, type Trace } from '@countersign/runtime/trace';
import type { Context } from '../context.js';
import type { StoredState } from '../state/merge.js';
import type { Limits, Question } from '../velocity/short-windows.js';
import type { AgentFacts, Facts, VelocityFacts } from './shape.js';

const windowSpan = { 'db.system.name': 'redis', 'db.operation.name': 'window' } as const;

/** A decision that is being counted in the short window. */
export interface CountedDecision {
  agentId: string;
  authorizationId: string;
  at: number;
  /** Undefined if Redis did not answer. */
  seen: Promise<VelocityFacts | undefined>;
}

interface WindowRead {
  environment: Environment;
  /** `add` counts the decision, `out` only reads; undefined if the window is not needed. */
  how: 'add' | 'out' | undefined;
  /** Where the decision is noted once it is being counted. */
  progress: { counting?: CountedDecision } | undefined;
  agent: Pick<AgentFacts, 'id' | 'principalId'>;
  authorizationId: string;
  decidedAt: string;
  /** The facts of the round before, in which the decision was counted. */
  before: Facts | undefined;
  /** The read of the Principal's thresholds, which runs at the same time. */
  reading: Promise<StoredState>;
  trace: Trace | undefined;
}

/**
 * Asks the short window with the cached thresholds while the current ones are read, and again if
 * these turn out to differ. Without cached thresholds it waits for the read: counting with wrong
 * ones could evict entries that the right ones need.
 */
export async function velocityFacts(
  { windows, stateCache }: Pick<Context, 'windows' | 'stateCache'>,
  read: WindowRead,
): Promise<VelocityFacts | undefined> {
  const { how, environment, progress, agent, authorizationId, trace } = read;
  const { decidedAt, before, reading } = read;
  if (!how) return undefined;
  const counted = { agentId: agent.id, authorizationId, at: Date.parse(decidedAt) };
  const ask = (limits: Limits, asWhat: Question['how']): Promise<VelocityFacts | undefined> => {
    const span = trace?.child('count recent decisions', windowSpan, 'client');
    const seen = ending(span, windows[environment].ask({ ...counted, limits, how: asWhat }));
    if (progress && asWhat === 'add') progress.counting = { ...counted, seen };
    return seen;
  };
  const cached = stateCache[environment].thresholdsOf(agent.principalId)?.thresholds;
  const presumed = before?.thresholds ?? cached;
  const velocity = before ? before.velocity : presumed && (await ask(presumed, how));
  const { thresholds } = await reading;
  if (!presumed) return ask(thresholds, how);
  if (isSame(presumed, thresholds)) return velocity;
  return ask(thresholds, how === 'add' ? 'in' : how);
}

function isSame(one: Limits, other: Limits): boolean {
  return (
    one.velocityBurstCount === other.velocityBurstCount &&
    one.velocityBurstWindowSeconds === other.velocityBurstWindowSeconds
  );
}
