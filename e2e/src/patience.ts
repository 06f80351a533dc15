/**
 * Deadlines for tests of what is decided rather than of how fast: on a machine that is busy with
 * other work a decision may take its time and must still be the right one. Tests of faults keep the
 * product's own deadlines.
 */
export const patience = {
  AUTHORIZE_DEADLINE_MS: '12000',
  DECISION_DEADLINE_MS: '11000',
  COMMIT_TIMEOUT_MS: '5000',
  REDIS_TIMEOUT_MS: '5000',
};
