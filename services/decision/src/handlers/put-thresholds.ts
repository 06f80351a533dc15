import { perEnvironment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import { ChangeQueue } from '../thresholds/change-queue.js';
import { thresholdsMessage } from '../thresholds/message.js';
import { changeOverrides } from '../thresholds/store.js';
import type { DecisionHandlers } from './handler.js';

/** Applies all changes or none; the resulting values must be consistent. */
export function putThresholds(context: Context): DecisionHandlers['PutThresholds'] {
  const queues = perEnvironment(() => new ChangeQueue());
  return async ({ tenant, changesJson }, call) => {
    const { environment, deadlineAt } = call;
    const { prisma } = context.stores[environment];
    const principalId = tenant?.principalId ?? '';
    const changes = parse(changesJson);
    const { overrides, changed } = await queues[environment].run(principalId, deadlineAt, () =>
      changeOverrides(prisma, principalId, changes),
    );
    return { fieldsChanged: changed, thresholds: thresholdsMessage(overrides) };
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Fault('malformed', { code: 'BAD_REQUEST', message: 'Not readable as JSON.', cause });
  }
}
