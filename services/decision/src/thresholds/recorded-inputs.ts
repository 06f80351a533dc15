import type { Position, Tenant } from '@countersign/proto/conventions';
import type { DecisionInput } from '@countersign/proto/ledger';
import type { Budget } from '../budget.js';
import type { LedgerClient } from '../clients.js';
import type { StoredTexts } from '../record/read-record.js';

/** Ten times the largest facts and bases fit in a message. */
const pageSize = 10;

interface Asked {
  tenant: Tenant | null | undefined;
  agentId: string;
  /** The most decisions to read. */
  limit: number;
  budget: Budget;
}

interface RecordedInput {
  input: DecisionInput;
  texts: StoredTexts;
}

/** The inputs of the agent's newest decisions, newest first. */
export async function* recordedInputs(
  ledger: LedgerClient,
  { tenant, agentId, limit, budget }: Asked,
): AsyncGenerator<RecordedInput> {
  let after: Position | undefined;
  for (let left = limit; left > 0; left -= pageSize) {
    const page = { limit: Math.min(left, pageSize), after };
    const { inputs, texts, hasMore } = await ledger.call.ListDecisionInputs(
      { tenant, agentId, page },
      budget.callOptions('ledger'),
    );
    for (const input of inputs) yield { input, texts: textsOf(input, texts) };
    const last = inputs.at(-1);
    if (!hasMore || !last) return;
    after = { createdAt: last.createdAt, id: last.authorizationId };
  }
}

function textsOf(
  { factsJson, basisHash = '', thresholdsHash = '' }: DecisionInput,
  texts: Readonly<Record<string, string>>,
): StoredTexts {
  return { factsJson, basisJson: texts[basisHash], thresholdsJson: texts[thresholdsHash] };
}
