// What tsc has checked and compiled becomes the three files a browser asks for, with the hash of
// their contents in their names: so they may be kept for ever, and a new release is a new name.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const site = `${here}dist/site`;

const { metafile } = await buildInto();
const page = readFileSync(`${here}src/index.html`, 'utf8');
writeFileSync(`${site}/index.html`, filled(page, namesOf(metafile)));

/** Everything is ASCII, so that the gateway can hold it as it sends it: a byte a character. */
function buildInto() {
  rmSync(site, { recursive: true, force: true });
  mkdirSync(site, { recursive: true });
  return build({
    absWorkingDir: here,
    entryPoints: {
      console: 'dist/main.js',
      style: 'src/style/console.css',
      icon: 'src/style/icon.svg',
    },
    outdir: 'dist/site',
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    loader: { '.svg': 'copy' },
    metafile: true,
    logLevel: 'error',
  });
}

/** `console.js` → `console-1A2B3C4D.js`. */
function namesOf({ outputs }) {
  return Object.keys(outputs).map((path) => path.split('/').at(-1));
}

function filled(html, names) {
  return html.replaceAll(/\{\{(\w+)\.(\w+)\}\}/g, (_whole, name, extension) => {
    const found = names.find(
      (each) => each.startsWith(`${name}-`) && each.endsWith(`.${extension}`),
    );
    if (!found) throw new Error(`the bundle has no ${name}.${extension}`);
    return found;
  });
}
