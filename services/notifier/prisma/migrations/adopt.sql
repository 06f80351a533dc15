-- from 20261207000000_tried_deliveries_first to 20261127000100_guards

-- What only versions from before used.
DROP INDEX delivery_due_idx;
