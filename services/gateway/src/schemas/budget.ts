import { z } from 'zod';
import { moneyText } from './amount.js';
import { answeredId } from './id.js';

const budgetWindow = z
  .object({
    date: z.string().meta({
      description: 'The UTC day or month, such as 2026-11-21 or 2026-11.',
      examples: ['2026-11-21'],
    }),
    amount_limit: moneyText('200.00').nullable(),
    amount_used: moneyText('10.00'),
    amount_remaining: moneyText('190.00').nullable(),
    count_limit: z
      .int()
      .nullable()
      .meta({ examples: [null] }),
    count_used: z.int().meta({ examples: [1] }),
    count_remaining: z
      .int()
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'BudgetWindow' });

const exampleMonth = {
  date: '2026-11',
  amount_limit: null,
  amount_used: '10.00',
  amount_remaining: null,
  count_limit: null,
  count_used: 1,
  count_remaining: null,
};

export const budget = z
  .object({
    mandate_id: answeredId('mandate'),
    currency: z.string().meta({ examples: ['USD'] }),
    day: budgetWindow,
    month: budgetWindow.meta({ examples: [exampleMonth] }),
  })
  .meta({ id: 'Budget' });
