import { perEnvironment } from '@countersign/kernel/environment';
import type { PreviewedDecision, PreviewThresholdsRequest } from '@countersign/proto/decision';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Call } from '@countersign/runtime/grpc-types';
import { startBudget } from '../budget.js';
import type { Context } from '../context.js';
import { incompleteRecord, readRecord } from '../record/read-record.js';
import { readChanges } from '../thresholds/changes.js';
import { plannedChange, previewed, summary } from '../thresholds/preview.js';
import { recordedInputs } from '../thresholds/recorded-inputs.js';
import { readOverrides } from '../thresholds/store.js';
import { Turns } from '../turns.js';
import type { DecisionHandlers } from './handler.js';

const longestMs = 5_000;
const busy = 'Other previews are being computed; try again.';

/**
 * What changed thresholds would have made of the agent's newest decisions. One at a time, because
 * each reads and evaluates hundreds of records beside the payments that are being decided.
 */
export function previewThresholds(context: Context): DecisionHandlers['PreviewThresholds'] {
  const turns = perEnvironment(() => new Turns(busy));
  return (request, call) =>
    turns[call.environment].run('preview', call.deadlineAt, () => preview(context, request, call));
}

async function preview(context: Context, request: PreviewThresholdsRequest, call: Call) {
  const { agentId, changesJson, limit } = request;
  const tenant = tenantOf(request);
  const budget = startBudget(call, longestMs);
  const { prisma } = context.stores[call.environment];
  const overrides = await budget.within('database', readOverrides(prisma, tenant.principalId));
  const change = plannedChange(overrides, readChanges(changesJson));
  const decisions: PreviewedDecision[] = [];
  const leftOut: LeftOut[] = [];
  const asked = { tenant, agentId, limit, budget };
  for await (const { input, texts } of recordedInputs(context.ledger, asked)) {
    const { authorizationId } = input;
    try {
      const facts = readRecord(texts)?.facts;
      if (facts) decisions.push(previewed(input, facts, change));
      // A fail-safe answer is complete without facts: nothing was evaluated.
      else if (incompleteRecord(texts)) leftOut.push({ authorizationId });
    } catch (err) {
      leftOut.push({ authorizationId, err });
    }
  }
  if (leftOut.length > 0) report(call, leftOut);
  return summary(decisions, change);
}

interface LeftOut {
  authorizationId: string;
  /** Why it cannot be evaluated; absent where a part of it is missing. */
  err?: unknown;
}

function report({ log }: Call, leftOut: readonly LeftOut[]): void {
  const about = { ...leftOut[0], records: leftOut.length };
  log.error(about, 'left out of a preview: a record is not as it was written; see verify-log');
}
