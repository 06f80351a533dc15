import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeSecretJson } from './dev-file.js';

/** The secrets of one run that no service makes for itself. */
export interface RunKeys {
  adminKey: string;
  /** Base64 of 32 bytes. */
  secretsKey: string;
}

export function newKeys(): RunKeys {
  return {
    adminKey: `admin_${randomBytes(32).toString('hex')}`,
    secretsKey: randomBytes(32).toString('base64'),
  };
}

/**
 * What the environment gives, else what the folder keeps, else new and kept there: what is stored
 * encrypted under a key can be read again only with the same one.
 */
export function runKeys(folder: string, env: NodeJS.ProcessEnv): RunKeys {
  const file = join(folder, 'keys.json');
  const kept = readJson<RunKeys>(file);
  const keys = kept ?? newKeys();
  if (!kept) writeSecretJson(file, keys);
  return {
    adminKey: env.ADMIN_KEY || keys.adminKey,
    secretsKey: env.SECRETS_KEY || keys.secretsKey,
  };
}
