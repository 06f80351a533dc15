import type { ServiceDefinition } from '@grpc/grpc-js';
import type { SpanFacts } from '../trace.js';

/** The attributes that both sides of a call set in their spans. */
export interface RpcSpan {
  name: string;
  facts: SpanFacts;
}

/** Computed once per method, from its path: `/countersign.ledger.v1.Ledger/Commit`. */
export function rpcSpan(path: string): RpcSpan {
  const name = path.replace(/^\//, '');
  const [service = '', method = ''] = name.split('/');
  return { name, facts: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method } };
}

export function rpcSpans(service: ServiceDefinition): ReadonlyMap<string, RpcSpan> {
  return new Map(Object.entries(service).map(([method, { path }]) => [method, rpcSpan(path)]));
}
