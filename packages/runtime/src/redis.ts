import { Redis } from 'ioredis';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './log.js';

export type { ChainableCommander, Redis } from 'ioredis';

const maxReconnectDelayMs = 500;
/** Beyond the deadline of a command, after which a connection without any answer is given up. */
const maxSilenceMs = 2_000;

export interface RedisOptions {
  redisUrl: string;
  /** After which a command is given up: what Redis holds can always be done without. */
  redisTimeoutMs: number;
  namespace: string;
}

/**
 * Connects in the background and retries for ever. While Redis is away commands are not queued but
 * fail at once, and their callers do without; none is sent twice. A connection whose peer vanished
 * without closing it would seem open for a quarter of an hour, so one on which no answer comes is
 * closed and opened again.
 */
export function connectRedis(
  { redisUrl, redisTimeoutMs, namespace }: RedisOptions,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Redis {
  const redis = new Redis(redisUrl, {
    keyPrefix: `${namespace}:`,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 1,
    commandTimeout: redisTimeoutMs,
    connectTimeout: 1_000,
    socketTimeout: redisTimeoutMs + maxSilenceMs,
    retryStrategy: (attempt) => Math.min(50 * attempt, maxReconnectDelayMs),
    reconnectOnError: isOfReplica,
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

/** The server is no longer the one to write to: who has taken its place is found by connecting. */
function isOfReplica({ message }: Error): boolean {
  return message.includes('READONLY');
}
