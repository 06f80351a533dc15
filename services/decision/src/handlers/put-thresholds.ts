import { Fault } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import { thresholdsMessage } from '../thresholds/message.js';
import { changeOverrides } from '../thresholds/store.js';
import type { DecisionHandlers } from './handler.js';

/** Applies all changes or none; the resulting values must be consistent. */
export function putThresholds(context: Context): DecisionHandlers['PutThresholds'] {
  return async ({ tenant, changesJson }, call) => {
    const { prisma } = context.stores[call.environment];
    const changes = parse(changesJson);
    const { overrides, changed } = await changeOverrides(
      prisma,
      tenant?.principalId ?? '',
      changes,
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
