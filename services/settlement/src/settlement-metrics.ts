import { environments, type PerEnvironment } from '@countersign/kernel/environment';
import type { Counter, Gauge, Metrics } from '@countersign/runtime/metrics';
import type { Chain } from './chain.js';

export interface SettlementMetrics {
  checks: Counter<'chain' | 'status'>;
  head: Gauge<'chain'>;
}

export function settlementMetrics(metrics: Metrics): SettlementMetrics {
  return {
    checks: metrics.counter(
      'settlement_looks_total',
      'checks of a settlement, by the resulting status',
      ['chain', 'status'],
    ),
    head: metrics.gauge('chain_head', 'the last head block number of a chain', ['chain']),
  };
}

/** Says of each chain whether it can be read, as far as anybody has asked. */
export function reportUnavailable(
  metrics: Metrics,
  chains: PerEnvironment<ReadonlyMap<string, Chain>>,
): void {
  const help = '1 from a failure to read the head of a chain until it is read again';
  const gauge = metrics.gauge('chain_unavailable', help, ['environment', 'chain']);
  metrics.sample(gauge, () => {
    for (const environment of environments) {
      for (const [chain, { isUnavailable }] of chains[environment]) {
        gauge.set({ environment, chain }, Number(isUnavailable));
      }
    }
  });
}
