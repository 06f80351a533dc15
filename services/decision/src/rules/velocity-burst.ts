import type { Rule } from './rule.js';

/** A human must confirm when an agent pays more often than the thresholds allow. */
export const velocityBurst: Rule = {
  name: 'velocity-burst',
  codes: ['VELOCITY_BURST'],
  check: ({ facts, thresholds }) => {
    const { velocity, decidedAt } = facts;
    if (!velocity?.exceeded) return [];
    const { velocityBurstCount: count, velocityBurstWindowSeconds: window } = thresholds;
    const waitMs = Date.parse(velocity.againAt) - Date.parse(decidedAt);
    const decisions = count === 1 ? '1 decision' : `${count} decisions`;
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
    const asked = `the agent has asked for more than ${decisions} within ${window} seconds`;
    const detail = `${asked}, have this one confirmed and wait ${wait} before the next`;
    const declinedDetail = `${asked}, wait ${wait} before the next`;
    return [{ code: 'VELOCITY_BURST', detail, declinedDetail }];
  },
};
