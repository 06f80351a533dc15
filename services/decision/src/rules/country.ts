import { listRule } from './lists.js';

export const country = listRule({
  name: 'country',
  codes: ['COUNTRY_REQUIRED', 'COUNTRY_NOT_ALLOWED', 'COUNTRY_BLOCKED'],
  field: 'country',
  noun: 'country code',
  given: (payment) => payment.country,
  allowed: (mandate) => mandate.allowedCountries,
  blocked: (mandate) => mandate.blockedCountries,
});
