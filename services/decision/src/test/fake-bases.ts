import type { CommitRequest } from '@countersign/proto/ledger';
import type { StoredTexts } from '../record.js';

/**
 * The texts that a ledger stores once, by their hashes: bases and the thresholds they refer to.
 */
export class FakeBases {
  readonly #texts = new Map<string, string>();

  /** Whether basis and thresholds that the request refers to are stored or come with it. */
  keep({ basisHash, basisJson, thresholdsHash = '', thresholdsJson }: CommitRequest): boolean {
    if (basisHash === undefined || this.#texts.has(basisHash)) return true;
    const thresholds = thresholdsJson ?? this.#texts.get(thresholdsHash);
    if (basisJson === undefined || thresholds === undefined) return false;
    this.#texts.set(basisHash, basisJson).set(thresholdsHash, thresholds);
    return true;
  }

  /**
   * The recorded texts of a proposal's input; its basis may have been sent with an earlier one.
   */
  textsOf({ factsJson, basisHash = '' }: CommitRequest): StoredTexts {
    const basisJson = this.#texts.get(basisHash);
    if (basisJson === undefined) return { factsJson };
    const { thresholds } = JSON.parse(basisJson) as { thresholds: string };
    return { factsJson, basisJson, thresholdsJson: this.#texts.get(thresholds) };
  }

  /** Loses what a restarted ledger loses. */
  forget(): void {
    this.#texts.clear();
  }
}
