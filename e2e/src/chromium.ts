import { delimiter, join } from 'node:path';
import { isExecutable } from '@countersign/tools/backing/program';
import type { Browser } from 'playwright-core';

/** A browser to test with, or why there is none. */
export type Found = { browser: Browser } | { browser: null; why: string };

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const flags = ['--no-sandbox'];

/**
 * The one that CHROMIUM_PATH names, one on the PATH, or, on Linux, the one from the packages, which
 * is unpacked into `folder`. A machine without any can run all other tests; where BROWSER_TESTS is
 * `required` it is an error.
 */
export async function openChromium(folder: string): Promise<Found> {
  const found = await launched(folder);
  if (found.browser || process.env.BROWSER_TESTS !== 'required') return found;
  throw new Error(found.why);
}

async function launched(folder: string): Promise<Found> {
  try {
    const executablePath = (process.env.CHROMIUM_PATH || onPath()) ?? (await unpacked(folder));
    if (executablePath === null) return { browser: null, why: noneToBeHad };
    const { chromium } = await import('playwright-core');
    return { browser: await chromium.launch({ executablePath, args: flags }) };
  } catch (error) {
    return { browser: null, why: `no Chromium that starts: ${String(error)}` };
  }
}

const noneToBeHad = 'no Chromium: install one, or name it in CHROMIUM_PATH';

function onPath(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.find(isExecutable) ?? null;
}

async function unpacked(folder: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  // Where it unpacks to is nothing it can be told; nothing is to be left behind.
  process.env.TMPDIR = folder;
  const { default: chromium } = await import('@sparticuz/chromium');
  // Pages of text need no graphics card, nor one in software.
  chromium.setGraphicsMode = false;
  return chromium.executablePath();
}
