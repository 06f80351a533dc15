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

/** `.countersign/dev.json`, as the local run contract documents it; it holds secrets. */
export type DevFile = Record<Environment, EnvironmentKeys> & {
  base_url: string;
  internal_url: string;
  admin_key: string;
  /** Null for the moment between a death and the new start. */
  processes: Record<ServiceName, number | null>;
  /** The pid is null where the server is not our own. */
  backing: Record<ServerName, { pid: number | null; url: string }>;
};

const devFile = join(stateFolder, 'dev.json');

/** What runs in this checkout now; null when nothing does. */
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

/** Whole or not at all, and readable by its owner alone, from the first byte. */
export function writeSecretJson(file: string, content: unknown): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
