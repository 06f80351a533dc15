import { programStatuses, programVerificationModes } from '@countersign/kernel/vocabulary';
import { z } from 'zod';
import { moneyNumber, moneyText } from './amount.js';
import { answeredId } from './id.js';
import { pageOf } from './list.js';
import { rail } from './mandate.js';
import { environment } from './public.js';
import { answeredTime } from './time.js';

export const programStatus = z.enum(programStatuses).meta({ id: 'ProgramStatus' });
export const programVerificationMode = z
  .enum(programVerificationModes)
  .meta({ id: 'ProgramVerificationMode' });

function shape<T extends z.ZodType>(money: T) {
  return z.object({
    id: answeredId('program'),
    client_id: answeredId('client'),
    environment: environment,
    name: z.string().meta({ examples: ['Everyday spending'] }),
    status: programStatus,
    rails: z.array(rail),
    verification_mode: programVerificationMode,
    default_currency: z.string().meta({ examples: ['USD'] }),
    limit_ceilings: z.object({
      max_amount_per_transaction: money.nullable(),
      max_daily_amount: money.nullable(),
      max_monthly_amount: money.nullable(),
    }),
    fraud_triage_enabled: z.boolean().meta({
      description:
        'Suspected fraud opens cases, agents are watched, and webhooks may have these events.',
      examples: [false],
    }),
    metadata: z.record(z.string(), z.unknown()).meta({ examples: [{}] }),
    created_at: answeredTime(),
    updated_at: answeredTime(),
  });
}

export const program = shape(moneyText('1000.00')).meta({ id: 'Program' });
export const programPage = pageOf(
  shape(moneyNumber(1000)).meta({ id: 'ProgramListItem' }),
  'ProgramPage',
);
