import { comparedAddress } from '../../rules/counterparty.js';
import type { IntentSubject } from '../shape.js';
import { allowListProblem } from './allow-list.js';
import type { Judge } from './constraint.js';

/** Limits beyond the specification: allow-lists of fields of the request itself. */
export const ownLists: Record<string, Judge> = {
  'urn:svc:vi:allowed_mccs': listed('MCC', ({ mcc }) => mcc),
  'urn:svc:vi:allowed_countries': listed('country code', ({ country }) => country),
  'urn:svc:vi:allowed_chains': listed('chain', ({ crypto }) => crypto?.chain ?? null),
  'urn:svc:vi:allowed_assets': listed('asset', ({ crypto }) => crypto?.asset ?? null),
  'urn:svc:vi:allowed_counterparties': listed('counterparty', ({ crypto }) =>
    crypto ? comparedAddress(crypto.counterparty) : null,
  ),
};

/** A request without the field is not allowed. */
function listed(what: string, said: (subject: IntentSubject) => string | null): Judge {
  return (body, fulfilled) => {
    const asked = said(fulfilled.examination.subject);
    const matches = (entry: unknown) =>
      asked !== null && typeof entry === 'string' && comparedAddress(entry) === asked;
    return allowListProblem({ what, list: body.allowed, matches }, fulfilled);
  };
}
