import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, hashStats, isFresh, setFresh } from './fingerprint.mjs';
import { run, timed } from './step.mjs';
import { withReferences, workspaces } from './workspaces.mjs';

/** Bundles the browser code of workspaces that have some, if it has changed. */
export async function bundle(root, folders) {
  const wanted = folders ? withReferences(root, folders) : workspaces(root);
  for (const folder of wanted.filter((each) => isBundled(root, each))) {
    const script = join(root, folder, 'bundle.mjs');
    const inputs = withReferences(root, [folder]).map((each) => join(root, each, 'dist/.built'));
    const fingerprint = hashStats([...inputs, ...filesBelow(join(root, folder, 'src')), script]);
    const stamp = join(root, folder, 'dist/site/.bundled');
    if (isFresh(stamp, fingerprint)) continue;
    const todo = `Correct ${folder}/bundle.mjs or what it reads, and run the command again.`;
    await timed(`bundling ${folder}`, () => run(process.execPath, [script], { cwd: root, todo }));
    setFresh(stamp, fingerprint);
  }
}

function isBundled(root, folder) {
  const manifest = join(root, folder, 'package.json');
  if (!existsSync(manifest)) return false;
  return JSON.parse(readFileSync(manifest, 'utf8')).countersign?.bundle === true;
}
