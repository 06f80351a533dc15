import { Fault } from '@countersign/kernel/fault';

const messages: Record<string, string> = {
  expired: 'The challenge has expired.',
  already_answered: 'The challenge was answered already.',
  not_step_up: 'The authorization asked for no step-up.',
};

/** 400: an answer to a challenge that cannot take it. */
export function cannotApply(outcome: string): Fault {
  return new Fault('malformed', {
    code: 'STEP_UP_REQUIRED',
    message: messages[outcome] ?? 'The challenge cannot be answered this way.',
  });
}
