import { z } from 'zod';
import { idOf } from './id.js';
import { pageQuery } from './list.js';
import { idempotencyKey } from './payment.js';
import { always, loose, report } from './rule.js';
import { comparedText } from './text.js';
import { datetime } from './time.js';

/** Each of these selects by an index of its own. */
const alone = ['idempotency_key', 'client_reference'];

/**
 * What to list of the log; each choice is read off an index. A filter by another name is refused,
 * where the whole log would look like what was asked for.
 */
export const logQuery = z
  .strictObject({
    ...pageQuery,
    agent_id: idOf('agent').optional().meta({ description: 'Of this Agent alone.' }),
    first_decision: z
      .enum(['DECLINE', 'STEP_UP'])
      .optional()
      .meta({
        description:
          'What was decided first: a challenge is listed as STEP_UP whatever was answered. ' +
          'Approvals are what neither lists.',
      }),
    client_reference: comparedText(128).optional().meta({
      description: 'The payments with this reference, such as those of an order.',
    }),
    idempotency_key: idempotencyKey.optional().meta({
      description: 'The payment with this key, if it was decided.',
    }),
    from: datetime().optional().meta({ description: 'Decided at this time or later.' }),
    until: datetime().optional().meta({ description: 'Decided before this time.' }),
  })
  .superRefine((value, context) => {
    const given = loose(value);
    const { from, until } = given;
    const isRange = typeof from === 'string' && typeof until === 'string';
    if (isRange && Date.parse(until) <= Date.parse(from)) {
      report(context, {
        path: ['until'],
        type: 'out_of_range',
        message: 'must be later than from',
      });
    }
    const selecting = [...alone, 'agent_id', 'first_decision'].filter(
      (name) => given[name] !== undefined,
    );
    const [single = '', other] = selecting;
    if (!alone.includes(single) || other === undefined) return;
    const message = `must not be given with ${other}`;
    report(context, { path: [single], type: 'ambiguous', message });
  }, always);
