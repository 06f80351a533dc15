import { withoutMarkers } from '@countersign/kernel/answer';
import { Decimal, formatAmount } from '@countersign/kernel/money';

const maxQuoted = 80;
const maxListed = 8;

/** `12.50 USD`, never rounded: an amount with more decimals than its currency keeps them. */
export function money(amount: Decimal | string, currency: string): string {
  const value = new Decimal(amount);
  const short = formatAmount(value, currency);
  return `${value.eq(short) ? short : value.toFixed()} ${currency}`;
}

/** A caller's word as it may stand in a sentence. */
export function quoted(text: string): string {
  const plain = withoutMarkers(text);
  return plain.length > maxQuoted ? `${plain.slice(0, maxQuoted)}…` : plain;
}

/** `A, B or C`; a long list is cut, for it is read by an agent with a budget. */
export function oneOf(choices: readonly string[]): string {
  const listed = choices.slice(0, maxListed).map(quoted);
  if (choices.length > maxListed) return `${listed.join(', ')} or another of ${choices.length}`;
  const last = listed.at(-1) ?? '';
  return listed.length > 1 ? `${listed.slice(0, -1).join(', ')} or ${last}` : last;
}

/** Clauses become one sentence. */
export function sentence(clauses: readonly string[]): string {
  const text = clauses.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
