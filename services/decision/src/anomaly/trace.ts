import { sha256Hex } from '@countersign/kernel/canonical';
import type { RecordedTrace } from '@countersign/kernel/event';
import { merchantKey } from '../facts/merchant-key.js';
import type { PaymentFacts } from '../facts/shape.js';
import { normalText } from './normal-text.js';
import { sketchOf } from './sketch.js';

/**
 * The features of a payment that are compared with the agent's history and later become part of
 * it.
 */
interface Trace {
  /** Hash of the payee; null if none is named. */
  merchant: string | null;
  /**
   * The agent's normalized reasoning, null if it gave none. Never stored: it may be confidential.
   */
  reasoning: string | null;
  recorded: RecordedTrace;
}

/** 52 bits: a JavaScript number represents them exactly. */
const shortHash = 13;

/** A trace is needed for comparing and for recording; its texts are normalized and hashed once. */
const cached = new WeakMap<PaymentFacts, Trace>();

export function traceOf(payment: PaymentFacts): Trace {
  const found = cached.get(payment);
  if (found) return found;
  const { reasoningSummary } = payment.intentContext;
  const reasoning = reasoningSummary === null ? null : normalText(reasoningSummary);
  const recorded = recordedTrace(payment, reasoning);
  const trace = { merchant: merchantKey(payment), reasoning, recorded };
  cached.set(payment, trace);
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

/** Equal for Unicode-equivalent spellings. */
function taskHash(taskReference: string): string {
  return sha256Hex(taskReference.normalize('NFC')).slice(0, shortHash);
}

/** The leading 52 bits of a hexadecimal hash; never 0, which stands for "not sent". */
export function shortNumber(hash: string): number {
  return Number.parseInt(hash.slice(0, shortHash), 16) || 1;
}

/** The same for the hash of a word. */
export function wordNumber(word: string): number {
  return shortNumber(sha256Hex(word));
}
