import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from '@countersign/kernel/canonical';

/** One file of the console as it is sent, for as long as the process lives. */
export interface SiteFile {
  name: string;
  text: string;
  contentType: string;
  etag: string;
}

/** Where the build puts it, from the folder this is compiled to. */
const builtFolder = fileURLToPath(
  new URL('../../../../packages/console/dist/site/', import.meta.url),
);

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Throws where there is none: who switched the console on is told, not who opens it. */
export async function readSite(folder = builtFolder): Promise<SiteFile[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.flatMap((name) => {
    const contentType = contentTypes[extname(name)];
    return contentType ? [{ name, contentType }] : [];
  });
  if (!files.some(({ name }) => name === 'index.html')) {
    throw new Error(
      `CONSOLE is on, but there is no console in ${folder}: npm run build -w packages/console`,
    );
  }
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(`${folder}/${file.name}`, 'utf8');
      return { ...file, text, etag: `"${sha256Hex(text).slice(0, 32)}"` };
    }),
  );
}
