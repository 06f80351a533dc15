import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Redis } from 'ioredis';
import type { Config } from './config.js';

const maxReconnectDelayMs = 500;

/**
 * Connects in the background and for ever. Nothing is queued while it is away and nothing is sent
 * twice: a command fails at once, and its caller goes the longer way.
 */
export function connectRedis(
  {
    redisUrl,
    redisTimeoutMs,
    namespace,
  }: Pick<Config, 'redisUrl' | 'redisTimeoutMs' | 'namespace'>,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Redis {
  const redis = new Redis(redisUrl, {
    keyPrefix: `${namespace}:`,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 1,
    commandTimeout: redisTimeoutMs,
    connectTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, maxReconnectDelayMs),
  });
  let away = false;
  redis.on('error', (error) => {
    // One line an outage, not one a reconnection attempt.
    if (!away) log.warn({ err: error }, 'redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('redis is back');
    away = false;
  });
  lifecycle.onShutdown('redis', () => redis.disconnect());
  return redis;
}
