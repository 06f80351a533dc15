import { isCurrency } from '@countersign/kernel/currency';
import countries from 'i18n-iso-countries/index.js';
import { z } from 'zod';
import { rule } from './rule.js';
import { form } from './text.js';

/** What the document says of a code; which ones exist is for the check. */
const threeCapitals = '^[A-Z]{3}$';
const alpha3 = new Set(Object.keys(countries.getAlpha3Codes()));

export const country = z
  .string()
  .refine(
    (value) => alpha3.has(value),
    rule('invalid_country', 'must be an ISO 3166-1 alpha-3 country code in capitals, such as USA'),
  )
  .meta({
    pattern: threeCapitals,
    description: 'ISO 3166-1 alpha-3 country code; two-letter codes are refused.',
    examples: ['USA'],
  });

export const currency = z
  .string()
  .refine(
    isCurrency,
    rule('invalid_currency', 'must be an ISO 4217 currency code in capitals, such as USD'),
  )
  .meta({ pattern: threeCapitals, description: 'ISO 4217 currency code.', examples: ['USD'] });

export const mcc = form(/^\d{4}$/, 'must be a merchant category code of 4 digits').meta({
  description: 'Merchant Category Code, 4 digits.',
  examples: ['5411'],
});
