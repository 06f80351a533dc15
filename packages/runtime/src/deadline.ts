/** `what` completes the sentence "... did not answer in time"; `late` makes an error of its own. */
type Deadline = { ms: number } & ({ what: string } | { late: () => Error });

/** What the work resolves to, or a rejection at the deadline; the work itself is not cancelled. */
export async function withDeadline<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lateness(deadline)), deadline.ms);
  });
  try {
    return await Promise.race([work, passed]);
  } finally {
    clearTimeout(timer);
  }
}

function lateness(deadline: Deadline): Error {
  if ('late' in deadline) return deadline.late();
  return new Error(`${deadline.what} did not answer in time`);
}
