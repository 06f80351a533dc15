/**
 * Generous deadlines for tests of correctness, so that they do not fail on a busy machine. Tests of
 * faults keep the product's own deadlines.
 */
export const patience = {
  AUTHORIZE_DEADLINE_MS: '12000',
  DECISION_DEADLINE_MS: '11000',
  COMMIT_TIMEOUT_MS: '5000',
  REDIS_TIMEOUT_MS: '5000',
};
