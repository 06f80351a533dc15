/** `what` completes the sentence "... did not answer in time". */
export interface Deadline {
  ms: number;
  what: string;
}

/** What the work resolves to, or a rejection at the deadline; the work itself is not cancelled. */
export async function withDeadline<T>(work: Promise<T>, { ms, what }: Deadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not answer in time`)), ms);
  });
  try {
    return await Promise.race([work, passed]);
  } finally {
    clearTimeout(timer);
  }
}
