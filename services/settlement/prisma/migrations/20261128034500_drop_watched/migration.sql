-- Every statement reads by settlement_seen_idx or settlement_unseen_due_idx instead.
DROP INDEX "settlement_watched_idx";
