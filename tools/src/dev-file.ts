import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@countersign/kernel/environment';
import type { ServerName } from './backing/server-kind.js';
import { stateFolder } from './folders.js';
import type { ServiceName } from './services.js';

/** What a tool needs to use one environment. */
export interface EnvironmentKeys {
  client_id: string;
  program_id: string;
  api_key: string;
  oauth_client_id: string;
  oauth_client_secret: string;
}

/** `.countersign/dev.json`, as documented in the local run contract; contains secrets. */
export type DevFile = Record<Environment, EnvironmentKeys> & {
  base_url: string;
  internal_url: string;
  admin_key: string;
  /** Null while a process is being restarted. */
  processes: Record<ServiceName, number | null>;
  /** The pid is null if the server was not started by this run. */
  backing: Record<ServerName, { pid: number | null; url: string }>;
};

const devFile = join(stateFolder, 'dev.json');

/** The running installation of this checkout; null if there is none. */
export function readDevFile(): DevFile | null {
  return readJson<DevFile>(devFile);
}

export function writeDevFile(content: DevFile): void {
  writeSecretJson(devFile, content);
}

export function removeDevFile(): void {
  rmSync(devFile, { force: true });
}

export function readJson<T>(file: string): T | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null;
}

/** Written atomically, and readable by its owner only from the first byte. */
export function writeSecretJson(file: string, content: unknown): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
