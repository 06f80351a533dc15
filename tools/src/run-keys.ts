import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeSecretJson } from './json-file.js';

/** Secrets of a run that no service generates itself. */
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
 * From the environment, else from the folder, else generated and stored there: encrypted data can
 * be read again only with the same key.
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
