import { withoutMarkers } from '@countersign/kernel/answer-marker';
import { Decimal, formatAmount } from '@countersign/kernel/money';
import { oneOf as oneOfNames } from '@countersign/kernel/one-of';
import { shortened } from '@countersign/kernel/shortened';

const maxQuoted = 80;
const maxListed = 8;

/** `12.50 USD`, never rounded: an amount with more decimals than its currency keeps them. */
export function money(amount: Decimal | string, currency: string): string {
  const value = new Decimal(amount);
  const short = formatAmount(value, currency);
  return `${value.eq(short) ? short : value.toFixed()} ${currency}`;
}

/** A caller's text for use in a sentence: without markers, and truncated. */
export function quoted(text: string): string {
  return shortened(withoutMarkers(text), maxQuoted);
}

/** `A, B or C`; long lists are truncated, since agents with a token budget read them. */
export function oneOf(choices: readonly string[]): string {
  return oneOfNames(choices, { most: maxListed, spell: quoted });
}

/** Of a value that is not on an allow-list of the mandate, with those that would pass. */
export function notAllowed(noun: string, value: string, passing: readonly string[]): string {
  const others = passing.length === 0 ? 'nor is any other' : `only ${oneOf(passing)}`;
  return `${noun} ${quoted(value)} is not allowed by the mandate, ${others}`;
}

/** A word, not the name of a field (`merchant_id`, `crypto.asset`, `l2`), which is to be found. */
const beginsWithWord = /^[a-z]+(?![\w.])/;

export function sentence(clauses: readonly string[]): string {
  const text = clauses.join('; ');
  const begin = text.charAt(0);
  return `${beginsWithWord.test(text) ? begin.toUpperCase() : begin}${text.slice(1)}.`;
}
