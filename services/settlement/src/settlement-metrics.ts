import type { Counter, Gauge, Metrics } from '@countersign/runtime/metrics';

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
