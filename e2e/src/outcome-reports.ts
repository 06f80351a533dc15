/** A report of an outcome, with the response to its reporter. */
export interface SeenReport {
  principalId: string;
  authorizationId: string;
  outcomeType: string;
  settledAt: string | null;
  /** Its `external_reference_id`, which is unique. */
  mark: string;
  /** `known` is the 200 of a single call, which does not distinguish an update from a duplicate. */
  status: 'created' | 'updated' | 'duplicate' | 'known' | 'unknown' | string;
  /** Null if it is unknown whether the report took effect. */
  outcomeId: string | null;
}

/** An outcome in its final state. */
export interface ListedOutcome {
  id: string;
  authorization_id: string;
  outcome_type: string;
  settled_at: string | null;
  external_reference_id: string | null;
}

/**
 * Compares the listed outcomes with the reports: one outcome per authorization and type, from
 * exactly one report; for a settlement the report with the latest `settled_at`, whatever the order
 * of arrival; for all others the first.
 */
export function* outcomeViolations(
  reports: readonly SeenReport[],
  listed: readonly ListedOutcome[],
): Generator<string> {
  const groups = new Map<string, SeenReport[]>();
  for (const report of reports) {
    const name = `${report.authorizationId} ${report.outcomeType}`;
    groups.set(name, [...(groups.get(name) ?? []), report]);
  }
  const found = new Map<string, ListedOutcome[]>();
  for (const outcome of listed) {
    const name = `${outcome.authorization_id} ${outcome.outcome_type}`;
    found.set(name, [...(found.get(name) ?? []), outcome]);
    if (!groups.has(name)) yield `${name} is listed, and nobody reported it`;
  }
  for (const [name, group] of groups) {
    const [outcome, ...more] = found.get(name) ?? [];
    const answered = group.filter(({ outcomeId }) => outcomeId !== null);
    if (more.length > 0) yield `${name} is listed ${more.length + 1} times`;
    else if (outcome) yield* groupViolations(name, group, outcome);
    else if (answered.length > 0) yield `${name} was reported, and is not listed`;
  }
}

function* groupViolations(
  name: string,
  reports: readonly SeenReport[],
  outcome: ListedOutcome,
): Generator<string> {
  const answered = reports.filter(({ outcomeId }) => outcomeId !== null);
  const certain = answered.length === reports.length;
  const created = answered.filter(({ status }) => status === 'created');
  if (certain ? created.length !== 1 : created.length > 1)
    yield `${name} was created ${created.length} times`;
  const elsewhere = answered.find(({ outcomeId }) => outcomeId !== outcome.id);
  if (elsewhere) yield `${name} was told as ${elsewhere.outcomeId} and is ${outcome.id}`;

  const latest = latestOf(answered);
  const source = reports.find(({ mark }) => mark === outcome.external_reference_id);
  if (source === undefined || source.settledAt !== outcome.settled_at)
    yield `${name} has the time ${outcome.settled_at} and the reference of ${source?.settledAt}`;
  else if (certain ? latest !== source.settledAt : (latest ?? '') > (source.settledAt ?? ''))
    yield `${name} settled at ${outcome.settled_at}, the latest report says ${latest}`;
  else if (certain && latest === null && source.status !== 'created')
    yield `${name} is not the first that was reported`;
  else if (source.status === 'duplicate')
    yield `${name} stands by ${source.mark}, which was told to be a duplicate`;
}

function latestOf(reports: readonly SeenReport[]): string | null {
  const times = reports.flatMap(({ settledAt }) => settledAt ?? []);
  return times.sort().at(-1) ?? null;
}
