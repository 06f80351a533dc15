const decimals = 18;
const unit = 10n ** BigInt(decimals);

/** A decimal text in units of 10^-18, so that sums are exact. */
export function units(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  const [, sign, whole, fraction = ''] = match ?? [];
  if (whole === undefined || fraction.length > decimals) throw new Error(`no amount: ${text}`);
  const value = BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
  return sign === '-' ? -value : value;
}

/** The shortest decimal text of an amount. */
export function amountText(value: bigint): string {
  const size = value < 0n ? -value : value;
  const fraction = (size % unit).toString().padStart(decimals, '0').replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${size / unit}${fraction && `.${fraction}`}`;
}
