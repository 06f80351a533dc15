import { inReasonOrder } from '@countersign/kernel/reason';

/**
 * Reason codes that depend on the chain alone; those that depend on state come from the ledger.
 */
export type IntentCode =
  | 'VI_CHAIN_MALFORMED'
  | 'VI_SIGNATURE_INVALID'
  | 'VI_CREDENTIAL_EXPIRED'
  | 'VI_CREDENTIAL_NOT_YET_VALID'
  | 'VI_BINDING_INVALID'
  | 'VI_AUDIENCE_MISMATCH'
  | 'VI_AGENT_KEY_MISMATCH'
  | 'VI_TRANSACTION_MISMATCH'
  | 'VI_CONSTRAINT_VIOLATED'
  | 'VI_BUDGET_EXCEEDED'
  | 'VI_DISCLOSURE_INCOMPLETE'
  | 'VI_CONSTRAINT_UNRESOLVED'
  | 'VI_ISSUER_UNTRUSTED'
  | 'VI_ISSUER_UNAVAILABLE'
  | 'VI_AGENT_KEY_NOT_REGISTERED';

/** The faults of a chain. Only the first of each code is kept, which bounds the answer. */
export class Findings {
  readonly #details = new Map<string, string>();

  add(code: IntentCode, detail: string): void {
    if (!this.#details.has(code)) this.#details.set(code, detail);
  }

  /** Adds a finding unless the condition holds. Returns the condition. */
  expect(holds: boolean, code: IntentCode, detail: string): boolean {
    if (!holds) this.add(code, detail);
    return holds;
  }

  get codes(): string[] {
    return inReasonOrder([...this.#details.keys()]);
  }

  /** In the order of the codes. */
  get details(): string[] {
    return this.codes.map((code) => this.#details.get(code) ?? '');
  }
}
