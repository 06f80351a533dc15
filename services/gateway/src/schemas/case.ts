import { z } from 'zod';
import { answeredId } from './id.js';
import { pageOf } from './list.js';
import { sent } from './sent.js';
import { answeredTime } from './time.js';

const resolution = z.enum(['CONFIRMED_FRAUD', 'FALSE_POSITIVE', 'INCONCLUSIVE']);

export const resolveCase = z
  .strictObject({ resolution })
  .meta({ id: 'ResolveCase', ...sent({ resolution: 'FALSE_POSITIVE' }) });

export const fraudCase = z
  .object({
    id: answeredId('fraudCase'),
    authorization_id: answeredId('authorization'),
    agent_id: answeredId('agent'),
    severity: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
    resolution: resolution.nullable().meta({ examples: [null] }),
    created_at: answeredTime(),
  })
  .meta({ id: 'FraudCase' });

export const casePage = pageOf(fraudCase, 'FraudCasePage');
