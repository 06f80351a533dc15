/** Subtracts amounts given as decimal text: `19.90` minus `5` is `14.90`. */
export function less(amount: string, taken: string): string {
  const decimals = Math.max(decimalsOf(amount), decimalsOf(taken));
  const left = unitsOf(amount, decimals) - unitsOf(taken, decimals);
  const digits = String(left).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

export function isZero(amount: string): boolean {
  return /^[0.]*$/.test(amount);
}

/** Padded to the decimals of another amount in the same currency, as the service formatted it. */
export function spelledLike(amount: string, other: string): string {
  const missing = decimalsOf(other) - decimalsOf(amount);
  if (missing <= 0) return amount;
  return `${amount}${amount.includes('.') ? '' : '.'}${'0'.repeat(missing)}`;
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
