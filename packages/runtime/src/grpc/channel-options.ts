import type { ClientOptions, ServiceDefinition } from '@grpc/grpc-js';
import { repeatablePaths } from '../repeatable.js';
import { flowWindowBytes } from './flow-window.js';

/**
 * With the library's defaults, calls to a stopped server hang for ever and reconnecting takes
 * seconds.
 */
export function channelOptions(service: ServiceDefinition): ClientOptions {
  const name = repeatablePaths(service);
  const serviceConfig = {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: name.length === 0 ? [] : [{ name, retryPolicy }],
  };
  return {
    'grpc.service_config': JSON.stringify(serviceConfig),
    'grpc.keepalive_time_ms': 5_000,
    'grpc.keepalive_timeout_ms': 2_500,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 500,
    // Not 30 seconds: by then the address of a stopped replica may belong to another service.
    'grpc.dns_min_time_between_resolutions_ms': 1_000,
    'grpc.max_receive_message_length': 4 * 1024 * 1024,
    'grpc-node.flow_control_window': flowWindowBytes,
  };
}

const retryPolicy = {
  maxAttempts: 4,
  initialBackoff: '0.05s',
  maxBackoff: '0.5s',
  backoffMultiplier: 2,
  // The latter comes from a server of another service: see `strayCall`.
  retryableStatusCodes: ['UNAVAILABLE', 'UNIMPLEMENTED'],
};
