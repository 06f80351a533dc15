import { sha256Hex } from '@countersign/kernel/canonical';
import type { Pool } from '@countersign/runtime/database';
import { thresholdsHashIn } from '../basis.js';
import { basesOfSql, basisBodiesSql } from './sql.js';

/** Bounds the memory of this cache, with which most bases are read only once. */
const maxVerified = 100_000;

/**
 * Verifies the bases of records. They have no entries of their own: a record contains the hash of
 * its basis, and a basis that of its thresholds, so the entry of the record covers both.
 */
export class Bases {
  readonly #reader: Pick<Pool, 'query'>;
  readonly #verified = new Set<string>();

  constructor(reader: Pick<Pool, 'query'>) {
    this.#reader = reader;
  }

  /** The problems of the bases of these authorizations; valid ones are absent. */
  async problemsOf(authorizationIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.#reader.query<{ id: string; hash: string }>(basesOfSql, [
      authorizationIds,
    ]);
    const problems = await this.#check(new Set(rows.map(({ hash }) => hash)));
    return new Map(
      rows.flatMap(({ id, hash }): Array<[string, string]> => {
        const problem = problems.get(hash);
        return problem === undefined ? [] : [[id, problem]];
      }),
    );
  }

  /** Problems by the hash of the basis, including problems of its thresholds. */
  async #check(hashes: ReadonlySet<string>): Promise<Map<string, string>> {
    const { problems, bodies } = await this.#read(hashes);
    const named = new Map([...bodies].map(([hash, body]) => [hash, thresholdsHashIn(body)]));
    const thresholds = await this.#read(new Set([...named.values()].filter(isNamed)));
    for (const [hash, of] of named) {
      const problem = thresholds.problems.get(of ?? '');
      if (problem !== undefined) problems.set(hash, problem);
      else this.#remember(hash);
    }
    for (const hash of thresholds.bodies.keys()) this.#remember(hash);
    return problems;
  }

  /** The problems or the bodies of those that have not been verified before. */
  async #read(hashes: ReadonlySet<string>): Promise<Read> {
    const problems = new Map<string, string>();
    const bodies = new Map<string, string>();
    const unverified = [...hashes].filter((hash) => !this.#verified.has(hash));
    if (unverified.length === 0) return { problems, bodies };
    const { rows } = await this.#reader.query<{ hash: string; body: string }>(basisBodiesSql, [
      unverified,
    ]);
    for (const { hash, body } of rows) {
      // There are several with this hash where the primary key was dropped.
      if (sha256Hex(body) === hash) bodies.set(hash, body);
      else problems.set(hash, `its basis ${hash} was changed`);
    }
    for (const hash of unverified) {
      if (problems.has(hash)) bodies.delete(hash);
      else if (!bodies.has(hash)) problems.set(hash, `its basis ${hash} is missing`);
    }
    return { problems, bodies };
  }

  #remember(hash: string): void {
    if (this.#verified.size >= maxVerified) this.#verified.clear();
    this.#verified.add(hash);
  }
}

interface Read {
  problems: Map<string, string>;
  bodies: Map<string, string>;
}

function isNamed(hash: string | null): hash is string {
  return hash !== null;
}
