/** Digits of the number of a copied spender, so that all ids of one kind have the same length. */
export const numberWidth = 24;

export function paddedNumber(number: number): string {
  return String(number).padStart(numberWidth, '0');
}

/** `prn_01…`, `agt_01…`: the id of a copy, which are numbered from 1. */
export function copyId(prefix: string, number: number): string {
  return `${prefix}_01${paddedNumber(number)}`;
}

/** The same id in SQL; the number is an expression. */
export function copyIdSql(prefix: string, number = 'n'): string {
  return `'${prefix}_01' || lpad((${number})::text, ${numberWidth}, '0')`;
}
