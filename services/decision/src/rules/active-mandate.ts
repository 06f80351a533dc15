import { enablesRail, hasExpired } from '../mandate-choice.js';
import type { Finding, Rule } from './rule.js';
import { oneOf } from './wording.js';

export const activeMandate: Rule = {
  name: 'active-mandate',
  codes: ['NO_ACTIVE_MANDATE', 'MANDATE_EXPIRED'],
  check: ({ facts, payment, agent, mandate }) => {
    if (mandate) return [];
    const rail = payment.rail.toLowerCase();
    // A revoked agent can be granted none.
    const advice = agent.status === 'REVOKED' ? '' : ', its principal must grant one';
    const missing: Finding = {
      code: 'NO_ACTIVE_MANDATE',
      detail: `the agent has no active mandate for the ${rail} rail${advice}`,
    };
    if (!enablesRail(facts)) {
      const enabled = oneOf(facts.program?.rails ?? []);
      const detail =
        `the agent's program does not enable the ${rail} rail, only ${enabled},` +
        ' use an enabled rail or have its operator enable this one';
      return [{ ...missing, detail }];
    }
    const newest = facts.mandates[0];
    if (!newest) return [missing];
    if (!hasExpired(newest, facts.decidedAt)) {
      const detail =
        `the agent's mandate for the ${rail} rail begins at ${newest.validFrom},` +
        ' ask again then';
      return [{ ...missing, detail }];
    }
    return [
      missing,
      { code: 'MANDATE_EXPIRED', detail: `its newest one expired at ${newest.validUntil}` },
    ];
  },
};
