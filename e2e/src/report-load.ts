import { pick, type Random } from '@countersign/runtime/testing';
import type { Answer } from './api.js';
import type { SeenReport } from './outcome-reports.js';
import type { Decided, Told } from './purse.js';
import { doorOf } from './site.js';

const types = ['SETTLED', 'SETTLED', 'CLEARED', 'CHARGEBACK', 'DISPUTE_RESOLVED'];
/** Few, so that reports of one settlement often have the same time. */
const settledTimes = 12;
const largestBatch = 12;

type Row = Record<string, unknown>;
type Verdict = Pick<SeenReport, 'status' | 'outcomeId'>;

/** After a 503 it is unknown whether the report took effect. */
const unknown: Verdict = { status: 'unknown', outcomeId: null };

/** Reports outcomes of decisions, repeatedly and in random order of their times. */
export class ReportLoad {
  readonly #told: Told;
  #marks = 0;

  constructor(told: Told) {
    this.#told = told;
  }

  async step(random: Random, of: readonly Decided[]): Promise<void> {
    const [first] = of;
    if (!first) return;
    if (random(3) > 0) {
      // The same settlement through both gateways concurrently, with different times.
      const reports = Array.from({ length: 1 + random(3) }, (_, n) =>
        this.#single(random, first, n),
      );
      await Promise.all(reports);
      return;
    }
    const { purse } = first;
    const own = this.#told.decided.filter((each) => each.purse === purse);
    const about = Array.from({ length: 2 + random(largestBatch) }, () => pick(random, own));
    await this.#batch(
      random,
      about.flatMap((each) => each ?? []),
    );
  }

  async #single(random: Random, of: Decided, door: number): Promise<void> {
    const row = this.#row(random, of);
    const answer = await doorOf(of.purse, door).post('/api/v1/outcomes', row);
    if (answer.status === 503) return this.#keep(row, of, unknown);
    if (answer.status !== 200 && answer.status !== 201) return this.#refused(answer);
    const status = answer.status === 201 ? 'created' : 'known';
    this.#keep(row, of, { status, outcomeId: answer.body.id });
  }

  async #batch(random: Random, about: readonly Decided[]): Promise<void> {
    const [first] = about;
    if (!first) return;
    const rows = about.map((each) => this.#row(random, each));
    const door = doorOf(first.purse, random(first.purse.doors.length));
    const answer = await door.post('/api/v1/outcomes/batch', { outcomes: rows });
    if (answer.status !== 200 && answer.status !== 503) return this.#refused(answer);
    const results = answer.status === 200 ? answer.body.results : [];
    for (const [index, of] of about.entries()) {
      const row = rows[index];
      const { status, id } = results[index] ?? {};
      if (row) this.#keep(row, of, id ? { status, outcomeId: id } : unknown);
    }
  }

  #row(random: Random, { id, networkRrn }: Decided): Row {
    const type = pick(random, types) ?? 'SETTLED';
    const settles = type === 'SETTLED' || type === 'CLEARED';
    const second = String(random(settledTimes)).padStart(2, '0');
    return {
      ...(random(4) > 0 ? { authorization_id: id } : { network_rrn: networkRrn }),
      outcome_type: type,
      reported_at: '2026-01-02T00:00:00.000Z',
      reported_by: 'ISSUER',
      external_reference_id: `mark-${this.#marks++}`,
      ...(settles && random(8) > 0 && { settled_at: `2026-01-01T00:00:${second}.000Z` }),
    };
  }

  #keep(row: Row, { id, purse }: Decided, told: Verdict): void {
    this.#told.reports.push({
      ...told,
      principalId: purse.principalId,
      authorizationId: id,
      outcomeType: String(row.outcome_type),
      settledAt: (row.settled_at as string | undefined) ?? null,
      mark: String(row.external_reference_id),
    });
  }

  #refused({ status, text }: Answer): void {
    if (status === 429) this.#told.shed += 1;
    else this.#told.unexplained.push(`${status} ${text}`);
  }
}
