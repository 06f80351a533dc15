import { availableParallelism } from 'node:os';
import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { repeatableDays } from '@countersign/runtime/retention';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';

/** The table in the README is generated from these settings. */
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
    // Older events are not published again: consumers would take them for new ones.
    max: repeatableDays * 24,
  }),
};

/** Interval at which the end of the hash chain is signed. */
export const headEveryMs = 60_000;

export type Config = Settings<typeof settings>;

const maxDefaultLanes = 4;

/**
 * Connections of the commit pool in addition to those of the lanes, so that fences, confirmations
 * and reversals do not wait for batches. One of them may be used by a payment with a vi_chain.
 */
export const spareCommitConnections = 2;
const fewestOtherConnections = 2;

/** Leaves cores to the database and other services; fewer lanes also make larger batches. */
function defaultLanes(): number {
  const half = Math.floor(availableParallelism() / 2);
  return Math.max(1, Math.min(half, maxDefaultLanes));
}

/** Reads and validates the environment variables. A `commitLanes` of 0 is resolved. */
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
