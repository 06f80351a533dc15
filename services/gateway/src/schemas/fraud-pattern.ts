import { z } from 'zod';
import { answeredId } from './id.js';
import { pageOf } from './list.js';
import { answeredTime } from './time.js';

/** What is suspected, and why: the same in the event and in the lists. */
export const suspicion = {
  agent_id: answeredId('agent'),
  confidence: z.number().meta({ description: 'From 0 to 1.', examples: [0.766] }),
  indicators: z.array(z.string()).meta({ examples: [['AGENT_KEY_FAILURES', 'STEP_UPS_DENIED']] }),
  authorization_ids: z.array(z.string()),
  recommended_action: z
    .enum(['SUSPEND_AGENT', 'REVIEW_AGENT'])
    .meta({ id: 'TakeoverRecommendation' }),
};

export const patternFields = {
  id: answeredId('fraudPattern'),
  ...suspicion,
  created_at: answeredTime(),
};

export const patternPage = pageOf(
  z.object(patternFields).meta({ id: 'FraudPattern' }),
  'FraudPatternPage',
);
