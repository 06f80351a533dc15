import { Redis } from 'ioredis';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './log.js';

export type { ChainableCommander, Redis } from 'ioredis';

const maxReconnectDelayMs = 500;
/** Grace period beyond the deadline of a command, after which a silent connection is closed. */
const maxSilenceMs = 2_000;
/** How often a server that keeps refusing commands is reported. */
const reportRefusalEveryMs = 60_000;
/** A script that is not there yet is sent along, and a server that is loading is waited for. */
const harmless = /NOSCRIPT|LOADING/;
/** Of a Redis Cluster, for which scripts with keys of several agents are nothing to accept. */
const ofCluster = /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/;

interface RedisOptions {
  redisUrl: string;
  /** Timeout of a command; callers work without Redis after it. */
  redisTimeoutMs: number;
  namespace: string;
}

/**
 * Connects in the background and retries for ever. While Redis is unavailable commands fail
 * immediately instead of being queued, and their callers do without; none is sent twice. A
 * connection whose peer vanished without closing it would seem open for a quarter of an hour, so
 * one that receives no answer is closed and reopened.
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
    reconnectOnError: onRefusal(log),
  });
  let away = false;
  redis.on('error', (error) => {
    // One line per outage, not one per reconnection attempt.
    if (!away) log.warn({ err: error }, 'redis is unavailable');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('redis is available again');
    away = false;
  });
  lifecycle.onShutdown('redis', () => redis.disconnect());
  return redis;
}

/**
 * A server that has become a replica accepts no writes; reconnecting finds the new primary. If the
 * address still leads to the replica, callers do without Redis for as long, which must be seen. So
 * must any other refusal: a server that is out of memory, whose user lacks a permission, or that
 * is part of a cluster answers PING like a healthy one.
 */
function onRefusal(log: Logger): (error: Error) => boolean {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const isReplica = error.message.includes('READONLY');
    const now = performance.now();
    if (!harmless.test(error.message) && now - reportedAt >= reportRefusalEveryMs) {
      reportedAt = now;
      log.warn({ err: error }, refusalText(error, isReplica));
    }
    return isReplica;
  };
}

function refusalText({ message }: Error, isReplica: boolean): string {
  if (isReplica) return 'redis is a replica that accepts no writes; reconnecting';
  if (ofCluster.test(message)) return 'redis is a cluster, which is not supported; doing without';
  return 'redis refuses commands; doing without';
}
