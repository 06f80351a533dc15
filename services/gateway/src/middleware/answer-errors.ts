import { Fault } from '@countersign/kernel/fault';
import type { Logger } from '@countersign/runtime/log';
import { connectivityFault } from '../errors/connectivity.js';
import { errorReply } from '../errors/envelope.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { Refusal } from '../errors/refusal.js';
import { jsonType } from '../reply.js';
import type { RequestContext } from './state.js';

/** Everything that is thrown on the way of a request becomes an answer in its envelope. */
export function answerErrors(
  baseUrl: string,
  log: Logger,
): (ctx: RequestContext, thrown: unknown) => void {
  return ({ state }, thrown) => {
    const error = connectivityFault(thrown);
    report(error, log, state.requestId);
    const reply = errorReply(error, { requestId: state.requestId, baseUrl, route: state.route });
    state.errorCode = codeOf(error);
    state.status = reply.status;
    Object.assign(state.headers, reply.headers, { 'Content-Type': jsonType });
    state.text = JSON.stringify(reply.body);
  };
}

/** A caller's mistake is an answer; only what is ours to mend is an error in the log. */
function report(error: unknown, log: Logger, requestId: string): void {
  if (error instanceof Refusal || error instanceof OauthRefusal) return;
  if (!(error instanceof Fault) || error.kind === 'internal') {
    log.error({ requestId, err: error }, 'request failed');
  } else if (error.kind === 'unavailable' || error.kind === 'deadline') {
    log.warn({ requestId, err: error }, 'request could not be carried out');
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal || error instanceof OauthRefusal) {
    return error.code;
  }
  return 'INTERNAL_ERROR';
}
