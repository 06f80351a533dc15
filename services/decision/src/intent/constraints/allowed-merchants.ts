import { isText } from '../json-object.js';
import { allowedOf, allowListProblem } from './allow-list.js';
import type { Judge } from './constraint.js';
import { isSameMerchant } from './merchant-match.js';

/** The merchant can be identified only by the `id` in the checkout that it signed. */
export const allowedMerchants: Judge = (body, fulfilled) => {
  const merchant = fulfilled.checkout?.merchant;
  if (!merchant) return null;
  if (!isText(merchant.id)) {
    const detail = 'the checkout must name its merchant by id if the merchants are limited';
    return { code: 'VI_DISCLOSURE_INCOMPLETE', detail };
  }
  const list = allowedOf(body, 'allowed_merchants');
  const matches = (entry: unknown) => isSameMerchant(entry, merchant);
  return allowListProblem({ what: 'merchant', list, matches }, fulfilled);
};
