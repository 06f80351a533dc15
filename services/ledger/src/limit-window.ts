/**
 * Limits are counted per UTC calendar day and month of the decision time, by `roll_windows` in the
 * database. `day` is `YYYY-MM-DD`, `month` is `YYYY-MM`.
 */
interface LimitWindow {
  day: string;
  month: string;
}

export function limitWindow(epochMs: number): LimitWindow {
  const day = new Date(epochMs).toISOString().slice(0, 10);
  return { day, month: day.slice(0, 7) };
}
