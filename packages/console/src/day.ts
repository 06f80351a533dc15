const dayForm = /^(\d{4})-(\d\d)-(\d\d)$/;

/** The first moment of a day (`2026-11-29`) in the reader's zone; undefined if it is no day. */
export function startOfDay(day: string, daysLater = 0): string | undefined {
  const [, year, month, date] = dayForm.exec(day) ?? [];
  if (year === undefined) return undefined;
  // Not by adding 24 hours: a day may have 23 or 25.
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}

/** The reader's day at that many milliseconds before a moment; empty if it is none. */
export function dayAt(moment: string | undefined, msBefore = 0): string {
  const at = new Date(Date.parse(moment ?? '') - msBefore);
  if (Number.isNaN(at.getTime())) return '';
  const two = (number: number) => String(number).padStart(2, '0');
  const year = String(at.getFullYear()).padStart(4, '0');
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
