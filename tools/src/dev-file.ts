import { join } from 'node:path';
import type { Environment } from '@countersign/kernel/environment';
import type { ServerName } from './backing/server-kind.js';
import { stateFolder } from './folders.js';
import { readJson } from './json-file.js';
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

export const devFile = join(stateFolder, 'dev.json');

/** The running installation of this checkout; null if there is none. */
export function readDevFile(): DevFile | null {
  return readJson<DevFile>(devFile);
}
