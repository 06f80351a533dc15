ALTER TABLE authorization_record
  ADD CONSTRAINT known_decision CHECK (decision IN ('APPROVE', 'DECLINE', 'STEP_UP')),
  ADD CONSTRAINT known_rail CHECK (rail IN ('CARD', 'CRYPTO')),
  ADD CONSTRAINT positive_amount CHECK (amount > 0),
  ADD CONSTRAINT approved_is_counted CHECK (
    (decision = 'APPROVE') = (counted_day IS NOT NULL)
    AND (counted_day IS NULL OR mandate_id IS NOT NULL)
  ),
  ADD CONSTRAINT step_up_expires CHECK ((decision = 'STEP_UP') = (step_up_expires_at IS NOT NULL));

ALTER TABLE step_up_answer
  ADD CONSTRAINT known_status CHECK (status IN ('CONFIRMED', 'DENIED')),
  ADD CONSTRAINT confirmed_is_counted CHECK ((status = 'CONFIRMED') = (counted_day IS NOT NULL));

ALTER TABLE reversal ADD CONSTRAINT no_negative_release CHECK (amount >= 0);

-- More can never be given back than was taken: a mistake in a reversal fails here.
ALTER TABLE mandate_usage
  ADD CONSTRAINT no_negative_usage CHECK (
    day_amount >= 0 AND day_count >= 0 AND month_amount >= 0 AND month_count >= 0
  );

ALTER TABLE decision_basis
  ADD CONSTRAINT known_by_its_hash CHECK (hash = encode(sha256(convert_to(body, 'UTF8')), 'hex'));

ALTER TABLE intent_use
  ADD CONSTRAINT known_binding CHECK (subject_binding IN ('explicit', 'tofu')),
  ADD CONSTRAINT no_negative_use CHECK (amount_minor >= 0);

ALTER TABLE intent_subject
  ADD CONSTRAINT known_how CHECK (how IN ('explicit', 'first_use'));
