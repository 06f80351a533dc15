import { isoTime } from '@countersign/kernel/clock';
import type { FraudResolution } from '@countersign/kernel/event';
import { Fault, invalidField } from '@countersign/kernel/fault';
import { inTransaction } from '@countersign/runtime/database';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import type { Context } from '../context.js';
import { type FraudCase, resolvedCase, resolvedEvent } from '../triage/case.js';
import { caseMessage, ownCase } from '../triage/case-message.js';
import { lockedCase, writeResolution } from '../triage/state-store.js';
import type { DecisionHandlers } from './handler.js';

const resolutions: readonly FraudResolution[] = [
  'CONFIRMED_FRAUD',
  'FALSE_POSITIVE',
  'INCONCLUSIVE',
];

/**
 * Resolves a case, once. The outcome for the agent's scores is reported to the ledger by the
 * consumer of the event, which is committed with the resolution, so that neither can get lost.
 */
export function resolveCase(context: Context): DecisionHandlers['ResolveCase'] {
  return async (request, call) => {
    const { environment, requestId } = call;
    const tenant = tenantOf(request);
    const { clientId, principalId } = tenant;
    const resolution = asResolution(request.resolution);
    const at = context.clock();
    const event = {
      ...{ environment, clientId, principalId, requestId, occurredAt: isoTime(at) },
      ...(call.trace && { trace: call.trace.carrier }),
    };
    const { pool } = context.stores[environment];
    const { found, resolved } = await inTransaction(pool, async (client) => {
      const found = ownCase(await lockedCase(client, request.id), tenant);
      if (found.status === 'RESOLVED') return { found, resolved: same(found, resolution) };
      const resolved = resolvedCase(found, { resolution, by: principalId, at });
      await writeResolution(client, resolved);
      await addToOutbox(client, [resolvedEvent(resolved, event, { known: false })]);
      return { found, resolved };
    });
    if (resolved !== found) {
      context.counted.triage.announced({ environment, type: 'fraud.case_resolved' });
      context.relays[environment].wake();
    }
    return caseMessage(resolved);
  };
}

/** Refuses another resolution: the first was already sent to webhooks and the ledger. */
function same(found: FraudCase, resolution: FraudResolution): FraudCase {
  if (found.resolution === resolution) return found;
  const message = `The case is resolved as ${found.resolution} already.`;
  throw invalidField('resolution', 'already_resolved', message);
}

function asResolution(word: string): FraudResolution {
  const known = resolutions.find((resolution) => resolution === word);
  if (known) return known;
  throw new Fault('internal', { message: `resolution ${word}` });
}
