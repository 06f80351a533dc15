import { isSameAsset } from '@countersign/kernel/currency';
import type { Rule } from './rule.js';
import { notAllowed } from './wording.js';

/** As for chains, both the crypto terms and the mandate's own list must allow the asset. */
export const asset: Rule = {
  name: 'asset',
  codes: ['ASSET_NOT_ALLOWED'],
  check: ({ payment, mandate }) => {
    if (!payment.crypto || !mandate) return [];
    const asked = payment.crypto.asset;
    const refusing = [mandate.allowedAssets, mandate.crypto?.assets ?? []].find(
      (assets) => assets.length > 0 && !assets.some((each) => isSameAsset(each, asked)),
    );
    if (!refusing) return [];
    return [{ code: 'ASSET_NOT_ALLOWED', detail: notAllowed('asset', asked, refusing) }];
  },
};
