import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Claims what the file stands for by creating it with the record of this process. Null if that was
 * done, else the claim that is there already; its record is null if a crash has cut it off.
 */
export function claim(file, record) {
  if (create(file, JSON.stringify(record))) return null;
  const text = textOf(file);
  return { text, record: parsed(text) };
}

/** Removes the claim that was found, unless another process has replaced it. */
export function removeClaim(file, { text }) {
  if (textOf(file) !== text) return;
  const aside = besides(file);
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  try {
    const removed = textOf(aside);
    // Replaced just now, so it goes back, unless a third process has claimed the file meanwhile.
    if (removed !== text) create(file, removed);
  } finally {
    rmSync(aside);
  }
}

/** False if there is such a file already. */
function create(file, text) {
  const draft = besides(file);
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    link(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** How file systems without hard links refuse one, such as exFAT and the shares of VirtualBox. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Whole at once if possible: a claim that is being written should not be taken for none. */
function link(draft, file) {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!withoutLinks.includes(error.code)) throw error;
    writeFileSync(file, readFileSync(draft), { flag: 'wx', mode: 0o600 });
  }
}

function besides(file) {
  return `${file}.${randomUUID()}`;
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
