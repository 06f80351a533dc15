import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { encodeTextArray } from '../database/sql-array.js';
import type { Pool } from '../database.js';
import type { Metrics } from '../metrics.js';
import { askedTogether } from './one-turn.js';

/**
 * The rows that answer one question, in the order of the statement. Questions asked at the same
 * time share one statement.
 */
export type GroupedRead<Q, Row> = (question: Q) => Promise<readonly Row[]>;

export interface GroupedReadParts {
  stores: PerEnvironment<{ pool: Pool }>;
  metrics: Metrics;
}

/**
 * Each parameter of the statement is an array with one text per question, in the order of
 * `columns`; each row names the question that it answers by `place`, counted from 1.
 */
export interface GroupedStatement<Q> {
  name: string;
  text: string;
  columns: ReadonlyArray<(question: Q) => string | undefined>;
}

/**
 * A reader per environment that sends a whole group of questions to its database in one statement.
 */
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
