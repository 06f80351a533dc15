import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { z } from 'zod';
import { rule } from './rule.js';

/** What the document says of it; which codes and lengths exist is for the check below. */
export const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * E.164 as it is dialled: `+`, a country code that exists, and a length that the country has.
 * Ranges inside a country are not checked: they are opened faster than any table learns of them.
 */
export function isE164(value: string): boolean {
  if (!e164.test(value)) return false;
  const parsed = parsePhoneNumberFromString(value);
  return parsed?.number === value && parsed.isPossible();
}

export const phoneRule = rule(
  'invalid_phone_format',
  'must be a phone number in E.164 form, such as +14155550123',
);

export const phone = z
  .string()
  .refine(isE164, phoneRule)
  .meta({
    pattern: e164.source,
    description: 'Phone number in E.164 form.',
    examples: ['+14155550123'],
  });
