import { Fault } from '@countersign/kernel/fault';
import type { Logger } from '@countersign/runtime/log';
import { connectivityFault } from '../errors/connectivity.js';
import { errorReply } from '../errors/envelope.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { Refusal } from '../errors/refusal.js';
import type { Check } from './state.js';

/** Everything that is thrown below here becomes an answer in its envelope. */
export function answerErrors(baseUrl: string, log: Logger): Check {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const { state } = ctx;
      const error = connectivityFault(thrown);
      report(error, log.child({ requestId: state.requestId }));
      const reply = errorReply(error, { requestId: state.requestId, baseUrl, route: state.route });
      state.errorCode = codeOf(error);
      ctx.status = reply.status;
      ctx.set(reply.headers);
      ctx.set('Content-Type', 'application/json; charset=utf-8');
      ctx.body = JSON.stringify(reply.body);
    }
  };
}

/** A caller's mistake is an answer; only what is ours to mend is an error in the log. */
function report(error: unknown, log: Logger): void {
  if (error instanceof Refusal || error instanceof OauthRefusal) return;
  if (!(error instanceof Fault) || error.kind === 'internal') {
    log.error({ err: error }, 'request failed');
  } else if (error.kind === 'unavailable' || error.kind === 'deadline') {
    log.warn({ err: error }, 'request could not be carried out');
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal || error instanceof OauthRefusal) {
    return error.code;
  }
  return 'INTERNAL_ERROR';
}
