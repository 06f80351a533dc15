import { dirname, join } from 'node:path/posix';
import { type Finding, findLines, type ProjectFile } from './tree.js';

/** Links of the documents to files, folders and headings that do not exist. */
export function deadLinks(files: readonly ProjectFile[]): Finding[] {
  const documents = files.filter(({ path }) => path.endsWith('.md'));
  const anchors = new Map(documents.map((file) => [file.path, anchorsOf(file)]));
  const places = placesOf(files);
  return documents.flatMap((file) => {
    const links = [...withoutCode(file).matchAll(/\]\(([^)\s:]+)\)/g)].map(([, link = '']) => link);
    return [...new Set(links)].flatMap((link) => {
      const [to = '', anchor] = link.split('#');
      const path = to ? join(dirname(file.path), to).replace(/\/$/, '') : file.path;
      const isThere = places.has(path) && (!anchor || (anchors.get(path)?.has(anchor) ?? true));
      return isThere ? [] : findLines(file, literally(`](${link})`), `nothing is at ${link}`);
    });
  });
}

/** Files and folders that a document names by their path from the root, and that do not exist. */
export function unknownPaths(document: ProjectFile, files: readonly ProjectFile[]): Finding[] {
  const places = placesOf(files);
  const roots = [...places].filter((place) => !place.includes('/'));
  const named = [...document.text.matchAll(/`(\w+\/[\w./-]*)`/g)].map(([, path = '']) => path);
  return [...new Set(named)]
    .filter((path) => roots.includes(path.split('/')[0] ?? ''))
    .filter((path) => !places.has(path.replace(/\/$/, '')))
    .flatMap((path) => findLines(document, literally(`\`${path}\``), `there is no ${path}`));
}

/** As GitHub makes it from a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function anchorsOf(file: ProjectFile): Set<string> {
  const headings = [...withoutCode(file).matchAll(/^#+ (.+)$/gm)];
  return new Set(headings.map(([, heading = '']) => anchorOf(heading)));
}

function withoutCode({ text }: ProjectFile): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}

/** The paths of all files, and of the folders that they are in. */
function placesOf(files: readonly ProjectFile[]): Set<string> {
  const places = files.flatMap(({ path }) => {
    const parts = path.split('/');
    return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  });
  return new Set(places);
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
