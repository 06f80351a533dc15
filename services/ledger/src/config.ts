import { availableParallelism } from 'node:os';
import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';

/** Everything this service reads from its environment; the README's table is made from it. */
export const settings = {
  ...processSettings,
  ...tracingSettings,
  ...grpcSettings,
  ...databaseSettings,
  ...natsSetting,
  secretsKey: setting.key('SECRETS_KEY', {
    doc: '32 bytes in base64; encrypts the key that signs the hash chain, and recorded `vi_chain`s',
  }),
  secretsKeysPrevious: setting.keys('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`, used only to decrypt what was encrypted with them',
    fallback: [],
  }),
  commitLanes: setting.integer('COMMIT_LANES', {
    doc: 'concurrent commit batches per database; 0 for one per two cores, at most four',
    fallback: 0,
    max: 32,
  }),
  commitQueueLimit: setting.integer('COMMIT_QUEUE_LIMIT', {
    doc: 'maximum number of proposals queued per lane; further ones are refused at once',
    fallback: 1_024,
    min: 1,
    max: 65_536,
  }),
  commitTimeoutMs: setting.integer('COMMIT_TIMEOUT_MS', {
    doc: 'statement timeout of a commit in milliseconds',
    fallback: 500,
    min: 50,
    max: 60_000,
  }),
  outboxRetentionHours: setting.integer('OUTBOX_RETENTION_HOURS', {
    doc: 'hours for which published events are kept, to be republished if the bus loses its store',
    fallback: 168,
    min: 1,
    // Consumers forget after 15 days what they have had, and the bus keeps a week of its own.
    max: 192,
  }),
};

/** How long the end of the hash chain may stay unsigned. */
export const headEveryMs = 60_000;

export type Config = Settings<typeof settings>;

const maxDefaultLanes = 4;

/**
 * Connections of the commit pool that are not a lane's: fences, confirmations and reversals must
 * not wait behind batches. One of them may be busy with a payment that came with a vi_chain.
 */
export const spareCommitConnections = 2;
const fewestOtherConnections = 2;

/** The database and the other services need cores too, and fewer lanes make larger batches. */
function defaultLanes(): number {
  const half = Math.floor(availableParallelism() / 2);
  return Math.max(1, Math.min(half, maxDefaultLanes));
}

/** Reads and asserts the environment; `commitLanes` comes out as the number it stands for. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const commitLanes = config.commitLanes || defaultLanes();
  const needed = commitLanes + spareCommitConnections + fewestOtherConnections;
  if (config.databasePoolSize < needed) {
    throw new SettingsError([
      `DATABASE_POOL_SIZE must be at least ${needed} for ${commitLanes} commit lanes`,
    ]);
  }
  return { ...config, commitLanes };
}
