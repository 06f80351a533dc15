import { z } from 'zod';
import { moneyText } from './amount.js';
import { decision, reasonCodes } from './authorization.js';
import { answeredId, idOf } from './id.js';
import { wholeNumber } from './list.js';
import { sent } from './sent.js';
import { answeredThresholds, setThresholds } from './threshold-fields.js';
import { answeredTime } from './time.js';

export const putThresholds = z.strictObject(setThresholds).meta({
  id: 'PutThresholds',
  description: 'Any subset; null reverts a field to its default.',
  ...sent({ authorize_min_kya_score: 0.15, step_up_amount_threshold: '500.00' }),
});

const values = z.object(answeredThresholds);
const thresholdValues = values.meta({ id: 'ThresholdValues' });
const thresholdOverrides = values.partial().meta({
  id: 'ThresholdOverrides',
  description: 'Those that were set.',
  examples: [{ authorize_min_kya_score: 0.15 }],
});

export const thresholds = z
  .object({
    thresholds: thresholdValues,
    overrides: thresholdOverrides,
    platform_defaults: thresholdValues,
  })
  .meta({ id: 'Thresholds' });

export const thresholdsUpdated = z
  .object({
    status: z.literal('updated'),
    fields_changed: z.array(z.string()).meta({ examples: [['authorize_min_kya_score']] }),
    effective_thresholds: thresholdValues,
  })
  .meta({ id: 'ThresholdsUpdated' });

export const thresholdsReset = z
  .object({
    status: z.literal('reset'),
    message: z.string().meta({ examples: ['All overrides are removed.'] }),
  })
  .meta({ id: 'ThresholdsReset' });

export const previewQuery = z.strictObject({
  agent_id: idOf('agent').meta({ description: 'Whose decisions are evaluated again.' }),
  limit: wholeNumber({ min: 1, max: 500, fallback: 100 }).meta({
    description: 'The most decisions that are evaluated, newest first.',
  }),
});

const decisionCounts = z
  .object({ APPROVE: z.int(), STEP_UP: z.int(), DECLINE: z.int() })
  .meta({ id: 'DecisionCounts', examples: [{ APPROVE: 92, STEP_UP: 1, DECLINE: 7 }] });

const evaluated = z
  .object({ decision, reason_codes: reasonCodes })
  .meta({ id: 'EvaluatedDecision', examples: [{ decision: 'APPROVE', reason_codes: [] }] });

const previewedDecision = z
  .object({
    authorization_id: answeredId('authorization'),
    amount: moneyText('600.00'),
    currency: z.string().meta({ examples: ['USD'] }),
    created_at: answeredTime(),
    before: evaluated,
    after: evaluated.meta({
      examples: [{ decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] }],
    }),
  })
  .meta({ id: 'PreviewedDecision' });

export const thresholdsPreview = z
  .object({
    fields_changed: z.array(z.string()).meta({ examples: [['step_up_amount_threshold']] }),
    not_considered: z.array(z.string()).meta({
      description:
        'Those of the changed fields whose effect the records cannot show: what is counted or ' +
        'compared before a decision is made, and what decides on promotion.',
      examples: [[]],
    }),
    considered: z.int().meta({
      description:
        'Decisions evaluated: without those that failed safe, and those of whose facts the ' +
        'database lacks a part, which is in the log of the service.',
      examples: [100],
    }),
    oldest_at: answeredTime().nullable(),
    newest_at: answeredTime().nullable(),
    before: decisionCounts.meta({ description: 'With the present thresholds.' }),
    after: decisionCounts.meta({
      description: 'With the changed thresholds.',
      examples: [{ APPROVE: 86, STEP_UP: 7, DECLINE: 7 }],
    }),
    changed: z.array(previewedDecision).meta({
      description: 'The decisions that differ, or whose reasons do; newest first.',
    }),
  })
  .meta({ id: 'ThresholdsPreview' });
