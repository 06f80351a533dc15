import type {
  CommitRequest,
  ListAgentAuthorizationsRequest,
  ListDecisionInputsResponseInput,
} from '@countersign/proto/ledger';
import type { StoredTexts } from '../record/read-record.js';

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
    return { factsJson, basisJson, thresholdsJson: this.#texts.get(thresholdsIn(basisJson)) };
  }

  /** A page of the recorded inputs of an agent, newest first, with all texts. */
  inputsOf(
    recorded: readonly CommitRequest[],
    { agentId, page }: ListAgentAuthorizationsRequest,
  ): ListDecisionInputsResponseInput {
    const all = recorded.filter((request) => request.agentId === agentId).reverse();
    const from = all.findIndex(({ authorizationId }) => authorizationId === page?.after?.id) + 1;
    const requests = all.slice(from, from + (page?.limit ?? 0));
    const inputs = requests.map((request) => {
      const { authorizationId, amount, currency, decidedAt, factsJson, basisHash = '' } = request;
      const basis = this.#texts.get(basisHash);
      const thresholdsHash = basis === undefined ? undefined : thresholdsIn(basis);
      const names = { basisHash, thresholdsHash };
      return { authorizationId, amount, currency, createdAt: decidedAt, factsJson, ...names };
    });
    const hasMore = from + requests.length < all.length;
    return { inputs, texts: Object.fromEntries(this.#texts), hasMore };
  }

  /** Loses what a restarted ledger loses. */
  forget(): void {
    this.#texts.clear();
  }
}

function thresholdsIn(basisJson: string): string {
  return (JSON.parse(basisJson) as { thresholds: string }).thresholds;
}
