// Bundles what tsc has compiled into the three files that a browser loads. Their names contain the
// hash of their content, so that they can be cached for ever and a new release gets new names.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const site = `${here}dist/site`;

/** Bundled dependencies, whose licences must be included. */
const carried = ['jose', 'preact'];

const { metafile } = await buildInto();
const strangers = packagesIn(metafile).filter((name) => !carried.includes(name));
if (strangers.length > 0) throw new Error(`no licence is handed on for ${strangers}`);
const page = readFileSync(`${here}src/index.html`, 'utf8');
writeFileSync(`${site}/index.html`, filled(page, namesOf(metafile)));

/** ASCII only, so that the gateway can hold it in memory as one byte per character. */
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
    banner: { js: `/*!\n${carried.map(licenceOf).join('\n')}*/` },
    loader: { '.svg': 'copy' },
    metafile: true,
    logLevel: 'error',
  });
}

function packagesIn({ inputs }) {
  const found = Object.keys(inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  return [...new Set(found)].filter(
    (name) => name !== undefined && !name.startsWith('@countersign/'),
  );
}

function licenceOf(name) {
  const folder = new URL('.', import.meta.resolve(`${name}/package.json`));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name}: ${readFileSync(new URL(file, folder), 'utf8')}`;
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
