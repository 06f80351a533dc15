import type { Logger } from '@countersign/runtime/log';
import type { Counter, Histogram, Metrics } from '@countersign/runtime/metrics';
import type { RequestContext } from './state.js';

interface Options {
  log: Logger;
  metrics: Metrics;
  /** Metrics are always kept; the line may be turned off. */
  lines: boolean;
  listener: 'public' | 'operator';
}

/** One line per request, with the path's pattern but no parameter values, headers or body. */
export function accessLog({
  log,
  metrics,
  lines,
  listener,
}: Options): (ctx: RequestContext, elapsedMs: number) => void {
  const { seconds, failed } = requestMetrics(metrics, listener);
  // `lineOf` lists every field and none is a secret: redaction would cost more than the line.
  const lineLog = log.child({}, { redact: [] });
  return (ctx, elapsedMs) => {
    const { state } = ctx;
    const path = state.matched?.path ?? 'unknown';
    const method = state.matched?.method ?? 'other';
    seconds.observe({ method, path, status: String(state.status) }, elapsedMs / 1_000);
    if (state.failed) failed.inc({ path });
    if (lines) lineLog.info(lineOf(ctx, path, elapsedMs), 'request');
  };
}

function requestMetrics(metrics: Metrics, listener: Options['listener']) {
  const seconds = metrics.histogram(`http_${listener}_seconds`, 'time to answer a request', [
    'method',
    'path',
    'status',
  ]);
  const failed = metrics.counter(
    `http_${listener}_failed_total`,
    'requests that an outage or a defect kept from being carried out',
    ['path'],
  );
  if (listener === 'public') startPaymentsAtZero(seconds, failed);
  return { seconds, failed };
}

/**
 * Alerts divide by the answers to payments, of which an increase would not see the first ones:
 * after a start amid an outage, the share of failures would be too large, or infinite.
 */
function startPaymentsAtZero(
  seconds: Histogram<'method' | 'path' | 'status'>,
  failed: Counter<'path'>,
): void {
  const path = '/api/v1/authorize';
  for (const status of ['200', '429']) seconds.zero({ method: 'POST', path, status });
  failed.inc({ path }, 0);
}

function lineOf({ method, state }: RequestContext, path: string, elapsedMs: number) {
  const caller = state.identified?.caller;
  return {
    requestId: state.requestId,
    method: method.slice(0, 16),
    path,
    status: state.status,
    ms: Math.round(elapsedMs * 10) / 10,
    ip: state.ip,
    ...(state.errorCode && { error: state.errorCode }),
    ...(state.trace && { trace_id: state.trace.traceId }),
    ...(caller && {
      environment: caller.environment,
      clientId: caller.clientId,
      credentialId: caller.credentialId,
    }),
    ...(state.actingPrincipalId && { principalId: state.actingPrincipalId }),
  };
}
