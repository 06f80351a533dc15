-- As records are: a basis is read twice, by the chain and by an explanation. Compressing it, and
-- reading it for the chain, costs more than the page it takes.
ALTER TABLE decision_basis SET (toast_tuple_target = 8160);
