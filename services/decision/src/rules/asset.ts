import { isSameAsset } from '@countersign/kernel/currency';
import type { Rule } from './rule.js';
import { oneOf, quoted } from './wording.js';

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
    const detail = `asset ${quoted(asked)} is not allowed by the mandate, only ${oneOf(refusing)}`;
    return [{ code: 'ASSET_NOT_ALLOWED', detail }];
  },
};
