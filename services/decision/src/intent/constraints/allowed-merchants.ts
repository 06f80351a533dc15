import { isText } from '../json-object.js';
import { allowedOf, allowListProblem } from './allow-list.js';
import type { Judge } from './constraint.js';
import { isSameMerchant } from './merchant-match.js';

/** The merchant is the one its own checkout names by `id`, which it then must. */
export const allowedMerchants: Judge = (body, fulfilled) => {
  const merchant = fulfilled.checkout?.merchant;
  if (!merchant) return null;
  if (!isText(merchant.id)) {
    const detail = 'the checkout names no merchant by id, which allowed merchants need';
    return { code: 'VI_DISCLOSURE_INCOMPLETE', detail };
  }
  const list = allowedOf(body, 'allowed_merchants');
  const matches = (entry: unknown) => isSameMerchant(entry, merchant);
  return allowListProblem({ what: 'merchant', list, matches }, fulfilled);
};
