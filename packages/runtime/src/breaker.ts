import { Fault, isCallerMistake } from '@countersign/kernel/fault';
import CircuitBreaker from 'opossum';
import type { Metrics } from './metrics.js';

export interface BreakerOptions {
  name: string;
  metrics: Metrics;
  /** How long the circuit stays open before one call may try again. */
  resetMs?: number;
}

/** Fewer calls than this in ten seconds say nothing about the other side. */
const volumeThreshold = 20;
const errorThresholdPercentage = 50;

/**
 * Opens around reads and soft signals when the other side fails, so that a caller learns at once
 * what it would otherwise learn at its deadline. Never around a commit: that one must know.
 * Deadlines belong to the call itself; the breaker has none.
 */
export function withBreaker<A extends unknown[], R>(
  call: (...args: A) => Promise<R>,
  options: BreakerOptions,
): (...args: A) => Promise<R> {
  const breaker = new CircuitBreaker(call, {
    name: options.name,
    timeout: false,
    volumeThreshold,
    errorThresholdPercentage,
    resetTimeout: options.resetMs ?? 1_000,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    errorFilter: isCallerMistake,
  });
  const state = options.metrics.gauge(
    `breaker_${options.name}_open`,
    '1 while the circuit is open, 0.5 while it is tried',
  );
  breaker.on('open', () => state.set(1));
  breaker.on('halfOpen', () => state.set(0.5));
  breaker.on('close', () => state.set(0));
  return async (...args) => {
    try {
      return (await breaker.fire(...args)) as R;
    } catch (error) {
      if (!CircuitBreaker.isOurError(error as Error)) throw error;
      throw new Fault('unavailable', {
        code: 'SERVICE_UNAVAILABLE',
        message: 'A part of the service is not available; try again.',
        internal: `circuit ${options.name} is open`,
        cause: error,
      });
    }
  };
}
