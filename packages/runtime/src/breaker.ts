import { Fault, isCallerMistake } from '@countersign/kernel/fault';
import CircuitBreaker from 'opossum';
import type { Metrics } from './metrics.js';

interface BreakerOptions {
  name: string;
  metrics: Metrics;
  /** How long the circuit stays open before one trial call is let through. */
  resetMs?: number;
}

/** Fewer calls than this in ten seconds are too few to judge the other side by. */
const volumeThreshold = 20;
const errorThresholdPercentage = 50;

/**
 * A circuit breaker for reads and best-effort signals: callers fail fast instead of waiting for
 * their deadline. Never used around a commit, whose caller must learn the outcome. Deadlines belong
 * to the call itself; the breaker has none.
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
        message: 'A part of the service is not available; try again.',
        internal: `circuit ${options.name} is open`,
        cause: error,
      });
    }
  };
}
