import { z } from 'zod';
import { moneyNumber, moneyText } from './amount.js';
import { severity } from './authorization.js';
import { answeredId, exampleId } from './id.js';
import { pageOf } from './list.js';
import { sent } from './sent.js';
import { answeredTime } from './time.js';

export const resolution = z
  .enum(['CONFIRMED_FRAUD', 'FALSE_POSITIVE', 'INCONCLUSIVE'])
  .meta({ id: 'FraudCaseResolution' });
const status = z.enum(['OPEN', 'RESOLVED']).meta({ id: 'FraudCaseStatus', examples: ['OPEN'] });

export const signal = z
  .object({
    code: z.string().meta({ examples: ['FRAUD_SUSPECTED'] }),
    score: z.number().meta({ examples: [1] }),
  })
  .meta({ id: 'FraudSignal' });

export const resolveCase = z
  .strictObject({
    resolution: resolution.meta({
      description:
        '`CONFIRMED_FRAUD` is recorded as the outcome of this name, `FALSE_POSITIVE` as' +
        ' `FALSE_POSITIVE_REPORTED`; both count for the scores of the agent.',
    }),
  })
  .meta({ id: 'ResolveCase', ...sent({ resolution: 'FALSE_POSITIVE' }) });

function caseWith<T extends z.ZodType>(amount: T) {
  return z.object({
    id: answeredId('fraudCase'),
    authorization_id: answeredId('authorization'),
    agent_id: answeredId('agent'),
    severity,
    signals: z
      .array(signal)
      .meta({ description: 'Why fraud is suspected: reason codes and scores, from 0 to 1.' }),
    amount,
    currency: z.string().meta({ examples: ['USD'] }),
    status,
    resolution: resolution.nullable().meta({ examples: [null] }),
    resolved_by: z
      .string()
      .nullable()
      .meta({
        description: 'The Principal, or who reported the outcome that resolved it.',
        examples: [null, exampleId('principal'), 'ISSUER'],
      }),
    resolved_at: answeredTime().nullable(),
    created_at: answeredTime(),
  });
}

export const fraudCase = caseWith(moneyText('666.01')).meta({ id: 'FraudCase' });

export const casePage = pageOf(
  caseWith(moneyNumber(666.01)).meta({ id: 'ListedFraudCase' }),
  'FraudCasePage',
);
