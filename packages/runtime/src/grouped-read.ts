import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import type { Pool } from './database.js';
import type { Metrics } from './metrics.js';
import { askedTogether } from './one-turn.js';
import { encodeTextArray } from './sql-array.js';

/** The rows that answer a question, in the order of the statement; asked with all of one moment. */
export type GroupedRead<Q, Row> = (question: Q) => Promise<readonly Row[]>;

export interface GroupedReadParts {
  stores: PerEnvironment<{ pool: Pool }>;
  metrics: Metrics;
}

/**
 * Each parameter of the statement is an array with one text of every question, in the order of
 * `columns`; its rows say by `place`, counted from 1, which question they answer.
 */
export interface GroupedStatement<Q> {
  name: string;
  text: string;
  columns: ReadonlyArray<(question: Q) => string | undefined>;
}

/** A reader for each environment that asks its database in one statement for a whole group. */
export function groupedReaders<Q, Row>(
  { stores, metrics }: GroupedReadParts,
  { name, text, columns }: GroupedStatement<Q>,
): PerEnvironment<GroupedRead<Q, Row>> {
  return perEnvironment((environment) =>
    askedTogether(async (questions: readonly Q[]) => {
      metrics.roundTrip('postgres');
      const values = columns.map((textOf) =>
        encodeTextArray(questions.map((question) => textOf(question) ?? null)),
      );
      const { pool } = stores[environment];
      const { rows } = await pool.query<Row & { place: number }>({ name, text, values });
      const found: Row[][] = questions.map(() => []);
      for (const row of rows) found[row.place - 1]?.push(row);
      return found;
    }),
  );
}
