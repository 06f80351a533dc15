import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';

export function findReplay(context: Context): Handlers<LedgerDefinition>['FindReplay'] {
  return async (request, call) => {
    const [found] = await context.replays[call.environment](request);
    if (!found) return { outcome: 'absent' };
    return found.sameBody
      ? { outcome: 'replayed', answer: restoredAnswer(found.answer) }
      : { outcome: 'key_reused' };
  };
}
