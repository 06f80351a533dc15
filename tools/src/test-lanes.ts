/** One of `e2e` starts at least six services, and two at a time keep both cores busy. */
const startsServices = (file: string): boolean => file.startsWith('e2e/');

/**
 * Runs the files in their order: two at a time, and three once all that wait are of the kind that
 * waits itself for most of its time.
 */
export async function inLanes(
  files: readonly string[],
  run: (file: string) => Promise<void>,
): Promise<void> {
  const waiting = [...files];
  let beginThird: () => void = () => {};
  const thirdMayBegin = new Promise<void>((resolve) => {
    beginThird = resolve;
  });
  const lane = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      if (!waiting.some(startsServices)) beginThird();
      await run(file);
    }
    beginThird();
  };
  await Promise.all([lane(), lane(), thirdMayBegin.then(lane)]);
}
