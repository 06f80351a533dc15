import { sha256Hex } from '@countersign/kernel/canonical';
import type { RecordedTrace } from '@countersign/kernel/event';
import type { PaymentFacts } from '../facts-shape.js';
import { merchantKey } from '../merchant-key.js';
import { normalText } from './normal-text.js';
import { sketchOf } from './sketch.js';

/** How a payment looks: what is compared now and, where it is recorded, with later ones. */
export interface Trace {
  /** Hash of who is paid; null where nobody is named. */
  merchant: string | null;
  /** The agent's reasoning as it is compared; null where it gave none. In no record. */
  reasoning: string | null;
  recorded: RecordedTrace;
}

/** Hex digits that a number holds exactly. */
const shortHash = 13;

/** A payment is compared and then recorded, and its texts are read and hashed once. */
const known = new WeakMap<PaymentFacts, Trace>();

export function traceOf(payment: PaymentFacts): Trace {
  const found = known.get(payment);
  if (found) return found;
  const { reasoningSummary } = payment.intentContext;
  const reasoning = reasoningSummary === null ? null : normalText(reasoningSummary);
  const recorded = recordedTrace(payment, reasoning);
  const trace = { merchant: merchantKey(payment), reasoning, recorded };
  known.set(payment, trace);
  return trace;
}

function recordedTrace(
  { mcc, country, crypto, intentContext }: PaymentFacts,
  reasoning: string | null,
): RecordedTrace {
  const { taskReference, alternativesConsidered, confidence } = intentContext;
  const trace: RecordedTrace = { task: taskHash(taskReference) };
  if (mcc !== null) trace.mcc = mcc;
  if (crypto) trace.place = `${crypto.chain}/${crypto.asset}`;
  else if (country !== null) trace.place = country;
  if (alternativesConsidered !== null) trace.alternatives = alternativesConsidered;
  if (confidence !== null) trace.confidence = confidence;
  if (reasoning !== null) trace.reasoning = [reasoning.length, sketchOf(reasoning)];
  return trace;
}

/** The same in each of its spellings. */
function taskHash(taskReference: string): string {
  return sha256Hex(taskReference.normalize('NFC')).slice(0, shortHash);
}

/** The leading bits of a hash in hex, as a number that is never 0. */
export function shortNumber(hash: string): number {
  return Number.parseInt(hash.slice(0, shortHash), 16) || 1;
}

/** The same for a word. */
export function wordNumber(word: string): number {
  return shortNumber(sha256Hex(word));
}
