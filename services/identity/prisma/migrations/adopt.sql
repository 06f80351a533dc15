-- from 20261208000000_mandates_by_their_end to 20261127000200_unpublished

-- What only versions from before used.
DROP TRIGGER follow_publishing ON outbox;
DROP FUNCTION follow_publishing();
DROP INDEX outbox_unpublished_idx;
