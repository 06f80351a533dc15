import { Fault } from '@countersign/kernel/fault';
import type { AuthorizationEntry } from '@countersign/proto/ledger';

const messages: Record<string, string> = {
  expired: 'The challenge has expired.',
  already_answered: 'The challenge was answered already.',
  not_step_up: 'The authorization asked for no step-up.',
  wrong: 'The code is wrong.',
  exhausted: 'The code was wrong too often: the challenge is denied.',
  no_code: 'No codes are sent to this Principal: the challenge can only be confirmed or denied.',
};

/** 400 where a challenge takes no answer any more. */
export function assertPending({ stepUp }: AuthorizationEntry): void {
  if (!stepUp) throw cannotApply('not_step_up');
  if (stepUp.status === 'EXPIRED') throw cannotApply('expired');
  if (stepUp.status !== 'PENDING') throw cannotApply('already_answered');
}

/** 400: an answer to a challenge that cannot take it. */
export function cannotApply(outcome: string): Fault {
  return new Fault('malformed', {
    code: 'STEP_UP_REQUIRED',
    message: messages[outcome] ?? 'The challenge cannot be answered this way.',
  });
}
