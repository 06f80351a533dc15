import type { Environment } from '@countersign/kernel/environment';
import { ending, type Trace } from '@countersign/runtime/trace';
import type { Context } from './context.js';
import type { AgentFacts, Facts, VelocityFacts } from './facts-shape.js';
import type { Known } from './known-reader.js';
import type { Limits, Question } from './velocity/short-windows.js';

const windowSpan = { 'db.system.name': 'redis', 'db.operation.name': 'window' } as const;

/** A decision on its way into the short window. */
export interface Counting {
  agentId: string;
  at: number;
  /** Undefined where nobody answered. */
  seen: Promise<VelocityFacts | undefined>;
}

interface Look {
  environment: Environment;
  /** To be counted, or looked at only; absent where the window does not matter. */
  how: 'add' | 'out' | undefined;
  onCounting: ((counting: Counting) => void) | undefined;
  agent: Pick<AgentFacts, 'id' | 'principalId'>;
  decidedAt: string;
  /** By what the decision was judged before: it was counted then. */
  before: Facts | undefined;
  /** What is being read of the Principal meanwhile. */
  reading: Promise<Known>;
  trace: Trace | undefined;
}

/**
 * What the short window says, asked beside the reading of the thresholds with those that memory
 * has, and once more where they turn out to be others. Where memory has none it is asked after the
 * reading: to count by the wrong ones could forget what the right ones need.
 */
export async function velocityFacts(
  { windows, memory }: Pick<Context, 'windows' | 'memory'>,
  { environment, how, onCounting, agent, decidedAt, before, reading, trace }: Look,
): Promise<VelocityFacts | undefined> {
  if (!how) return undefined;
  const { id: agentId } = agent;
  const at = Date.parse(decidedAt);
  const ask = (limits: Limits, asWhat: Question['how']): Promise<VelocityFacts | undefined> => {
    const span = trace?.child('ask the short window', windowSpan, 'client');
    const seen = ending(span, windows[environment].ask({ agentId, at, limits, how: asWhat }));
    if (asWhat === 'add') onCounting?.({ agentId, at, seen });
    return seen;
  };
  const limits = before?.thresholds ?? memory[environment].knownThresholdsOf(agent.principalId);
  if (!limits) return ask((await reading).thresholds, how);
  const velocity = before ? before.velocity : await ask(limits, how);
  const { thresholds } = await reading;
  if (isSame(limits, thresholds)) return velocity;
  return ask(thresholds, how === 'add' ? 'in' : how);
}

function isSame(one: Limits, other: Limits): boolean {
  return (
    one.velocityBurstCount === other.velocityBurstCount &&
    one.velocityBurstWindowSeconds === other.velocityBurstWindowSeconds
  );
}
