import { Fault, isCallerMistake } from '@countersign/kernel/fault';
import { connectivityFault } from '@countersign/runtime/connectivity';
import type { Logger } from '@countersign/runtime/log';
import type { Trace } from '@countersign/runtime/trace';
import type { Context } from '../context.js';
import { errorReply, isDefect } from '../errors/envelope.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { Refusal } from '../errors/refusal.js';
import { jsonType } from '../reply.js';
import { setExhaustedHeaders } from './exhausted-headers.js';
import type { RequestContext, RequestState } from './state.js';

/** Turns whatever a pipeline throws into an answer in the envelope of its route. */
export function answerErrors({
  config,
  log,
  clock,
}: Pick<Context, 'config' | 'log' | 'clock'>): (ctx: RequestContext, thrown: unknown) => void {
  const { baseUrl } = config;
  const setLimitHeaders = setExhaustedHeaders({ config, clock });
  return (ctx, thrown) => {
    const { state } = ctx;
    const error = connectivityFault(thrown);
    state.failed = isFailure(error);
    if (state.failed) report(error, log, state);
    const reply = errorReply(error, { requestId: state.requestId, baseUrl, route: state.route });
    state.errorCode = codeOf(error);
    state.status = reply.status;
    Object.assign(state.headers, reply.headers, { 'Content-Type': jsonType });
    if (reply.status === 429) setLimitHeaders(ctx);
    state.text = JSON.stringify(reply.body);
  };
}

/**
 * A caller's mistake is only an answer, and so is a limit that is reached. A 429 with a cause is
 * none: nothing could be decided, nor could an answer be kept.
 */
function isFailure(error: unknown): boolean {
  if (error instanceof Refusal || error instanceof OauthRefusal) return false;
  if (!(error instanceof Fault) || !isCallerMistake(error)) return true;
  return error.kind === 'exhausted' && error.cause !== undefined;
}

/** Defects of this service are errors in the log, outages are warnings. */
function report(error: unknown, log: Logger, { requestId, trace }: RequestState): void {
  const facts = { requestId, ...traced(trace), err: error };
  if (isDefect(error)) log.error(facts, 'request failed');
  else log.warn(facts, 'request could not be carried out');
}

function traced(trace: Trace): { trace_id?: string } {
  return trace ? { trace_id: trace.traceId } : {};
}

function codeOf(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal || error instanceof OauthRefusal) {
    return error.code;
  }
  return 'INTERNAL_ERROR';
}
