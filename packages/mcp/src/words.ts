import type { Context } from './context.js';
import type { KnownReason } from './reason-book.js';
import { isDenied, isExpired, mayAskAnew, type Standing } from './standing.js';

/** A standing as a model is told it: in words, and as data. */
export interface Told {
  [name: string]: unknown;
  may_pay: boolean;
  decision: Standing['decision'];
  authorization_id: string;
  amount: string;
  currency: string;
  reversed: boolean;
  /** Decided before, and not by this call. */
  repeated: boolean;
  detail: string;
  reasons: Array<{ code: string; meaning: string; retry: string }>;
  next_step: string;
  confirmation: { status: string; expires_at: string } | null;
}

export async function tell(context: Context, standing: Standing): Promise<Told> {
  const { decision, stepUp } = standing;
  const reasons = await context.reasons.explain(standing.reasonCodes);
  return {
    may_pay: decision === 'APPROVE' && !standing.isReversed,
    decision,
    authorization_id: standing.authorizationId,
    amount: standing.amount,
    currency: standing.currency,
    reversed: standing.isReversed,
    repeated: standing.isRepeated,
    detail: standing.detail ?? reasons.map(({ description }) => description).join(' '),
    reasons: reasons.map(({ code, description, retry }) => ({ code, meaning: description, retry })),
    next_step: nextStep(standing, reasons),
    confirmation: stepUp && { status: stepUp.status, expires_at: stepUp.expires_at },
  };
}

export function inWords(told: Told): string {
  const { decision, amount, currency, reversed, authorization_id: id } = told;
  const headline = reversed ? 'given back' : headlines[decision];
  return [
    `${decision}: the payment of ${amount} ${currency} is ${headline} (${id}).`,
    ...(told.detail === '' ? [] : [told.detail]),
    ...told.reasons.map(({ code, meaning }) => `- ${code}: ${meaning}`),
    `What to do: ${told.next_step}`,
  ].join('\n');
}

const headlines = {
  APPROVE: 'approved',
  DECLINE: 'refused: do not pay',
  STEP_UP: 'not approved yet: do not pay',
} as const;

function nextStep(standing: Standing, reasons: readonly KnownReason[]): string {
  const { decision, isRepeated, amount, currency, isReversed } = standing;
  if (isReversed) return 'Do not pay on it. Ask with request_payment if it is wanted after all.';
  if (isDenied(standing)) return 'A human has refused this payment. Do not ask for it again.';
  if (isExpired(standing)) return 'Nobody confirmed it in time. Ask again with request_payment.';
  if (decision === 'STEP_UP') {
    return (
      'A human has to confirm first. Tell the user, then look with payment_status; ' +
      'asking for it again does not help.'
    );
  }
  if (decision === 'DECLINE') return afterDecline(reasons);
  if (!isRepeated) return `Pay exactly ${amount} ${currency}, once.`;
  return (
    'This is the approval that was given before, not another one: if it was paid, do not pay ' +
    'again. For a further payment that is just the same, count payment_number up.'
  );
}

/** All that stands against it has to go, so the hardest of it says what helps. */
const hardestFirst: ReadonlyArray<[KnownReason['retry'], string]> = [
  ['never', 'It cannot be approved for this agent. Tell the user, and do not ask again.'],
  ['after_human', 'A human has to change something first. Tell the user what stands against it.'],
  [
    'change_request',
    'Change the payment as it is said above, if the task allows it, or tell the user.',
  ],
  ['after_window', 'Ask again when the time that is said above has come, or for less.'],
  ['transient', 'Something was away for a moment. Ask again shortly, with the same arguments.'],
];

function afterDecline(reasons: readonly KnownReason[]): string {
  const hardest = hardestFirst.find(([retry]) => reasons.some((each) => each.retry === retry));
  return hardest?.[1] ?? 'Tell the user.';
}

/** It was asked for as often as it may be, and is not asked for anew. */
export function isSpent(standing: Standing): boolean {
  return standing.isRepeated && mayAskAnew(standing);
}
