import { join } from 'node:path';
import { hashContents, isFresh, setFresh } from './fingerprint.mjs';
import { run, timed } from './step.mjs';

/**
 * tap assembles its test class for the plugins in .taprc inside node_modules, on first use. Done
 * here, under the build lock, two test runs cannot assemble it over each other.
 */
export async function prepareTap(root) {
  const stamp = join(root, 'node_modules/.countersign/tap');
  const fingerprint = hashContents([join(root, '.taprc')]);
  if (isFresh(stamp, fingerprint)) return;
  const tap = join(root, 'node_modules/tap/dist/esm/run.mjs');
  const todo = 'Remove node_modules and run the command again.';
  await timed('preparing the test runner', () =>
    run(process.execPath, [tap, 'build'], { cwd: root, todo }),
  );
  setFresh(stamp, fingerprint);
}
