import { isSameAsset } from '@countersign/kernel/currency';
import { isAddress } from '../caip.js';
import type { IntentSubject } from '../shape.js';
import { allowListProblem } from './allow-list.js';
import type { Judge } from './constraint.js';

/** Extensions of the specification: allow-lists for fields of the request itself. */
export const ownLists: Record<string, Judge> = {
  'urn:svc:vi:allowed_mccs': listed('MCC', ({ mcc }) => mcc),
  'urn:svc:vi:allowed_countries': listed('country code', ({ country }) => country),
  'urn:svc:vi:allowed_chains': listed('chain', ({ crypto }) => crypto?.chain ?? null),
  'urn:svc:vi:allowed_assets': listed('asset', ({ crypto }) => crypto?.asset ?? null, isSameAsset),
  'urn:svc:vi:allowed_counterparties': listed(
    'counterparty',
    ({ crypto }) => crypto?.counterparty ?? null,
    isAddress,
  ),
};

/** A request without the field does not match. */
function listed(
  what: string,
  fieldOf: (subject: IntentSubject) => string | null,
  isSame = (entry: string, value: string) => entry === value,
): Judge {
  return (body, fulfilled) => {
    const value = fieldOf(fulfilled.examination.subject);
    const matches = (entry: unknown) =>
      value !== null && typeof entry === 'string' && isSame(entry, value);
    return allowListProblem({ what, list: body.allowed, matches }, fulfilled);
  };
}
