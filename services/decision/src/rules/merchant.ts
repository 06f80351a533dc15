import { listRule } from './lists.js';

export const merchant = listRule({
  name: 'merchant',
  codes: ['MERCHANT_ID_REQUIRED', 'MERCHANT_NOT_ALLOWED', 'MERCHANT_BLOCKED'],
  field: 'merchant_id',
  noun: 'merchant id',
  given: (payment) => payment.merchantId,
  allowed: (mandate) => mandate.allowedMerchants,
  blocked: (mandate) => mandate.blockedMerchants,
});
