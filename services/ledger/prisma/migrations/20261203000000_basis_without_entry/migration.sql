-- A basis is covered by the records that name its hash, so it needs no entry in the hash chain and no
-- index to be found by. See docs/decisions/0011-a-basis-is-kept-once.md.
DROP INDEX "decision_basis_chain";
