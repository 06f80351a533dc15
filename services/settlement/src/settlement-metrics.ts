import type { Counter, Gauge, Metrics } from '@countersign/runtime/metrics';

export interface SettlementMetrics {
  looks: Counter<'chain' | 'status'>;
  head: Gauge<'chain'>;
}

export function settlementMetrics(metrics: Metrics): SettlementMetrics {
  return {
    looks: metrics.counter('settlement_looks_total', 'looks at a transfer, by what it then was', [
      'chain',
      'status',
    ]),
    head: metrics.gauge('chain_head', 'the head a chain showed last', ['chain']),
  };
}
