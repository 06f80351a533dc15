import { isZero } from './amount.js';
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
  merchant: string | null;
  given_back: string;
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
    may_pay: decision === 'APPROVE' && !standing.isReversed && standing.otherMerchant === null,
    decision,
    authorization_id: standing.authorizationId,
    amount: standing.amount,
    currency: standing.currency,
    merchant: standing.merchant,
    given_back: standing.givenBack,
    reversed: standing.isReversed,
    repeated: standing.isRepeated,
    detail: standing.detail ?? reasons.map(({ description }) => description).join(' '),
    reasons: reasons.map(({ code, description, retry }) => ({ code, meaning: description, retry })),
    next_step: nextStep(standing, reasons),
    confirmation: stepUp && { status: stepUp.status, expires_at: stepUp.expires_at },
  };
}

export function inWords(told: Told): string {
  const { decision, amount, currency, reversed, given_back: back, authorization_id: id } = told;
  // Quoted: it comes from whoever asked for the payment.
  const to = told.merchant === null ? '' : ` to ${JSON.stringify(told.merchant)}`;
  const headline = headlineOf(told);
  const isInPart = !reversed && !isZero(back);
  return [
    `${decision}: the payment of ${amount} ${currency}${to} is ${headline} (${id}).`,
    ...(isInPart ? [`It was for more: ${back} ${currency} of it was given back.`] : []),
    ...(told.detail === '' ? [] : [told.detail]),
    ...told.reasons.map(({ code, meaning }) => `- ${code}: ${meaning}`),
    `What to do: ${told.next_step}`,
  ].join('\n');
}

function headlineOf({ decision, reversed, may_pay: mayPay }: Told): string {
  if (reversed) return 'given back';
  const isElsewhere = decision === 'APPROVE' && !mayPay;
  return isElsewhere ? 'approved for another merchant: do not pay' : headlines[decision];
}

const headlines = {
  APPROVE: 'approved',
  DECLINE: 'refused: do not pay',
  STEP_UP: 'not approved yet: do not pay',
} as const;

function nextStep(standing: Standing, reasons: readonly KnownReason[]): string {
  const { decision, isRepeated, amount, currency, isReversed, otherMerchant } = standing;
  if (isReversed) return 'Do not pay on it. Ask with request_payment if it is wanted after all.';
  if (isDenied(standing)) return 'A human has refused this payment. Do not ask for it again.';
  if (isExpired(standing)) return 'Nobody confirmed it in time. Ask again with request_payment.';
  if (otherMerchant !== null && decision !== 'DECLINE') return afterOther(otherMerchant);
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

function afterOther(merchant: string): string {
  return (
    `That is a payment to ${JSON.stringify(merchant)} for the same task, of the same amount, and ` +
    'no leave to pay anybody else. If it is the same merchant, look at it with payment_status ' +
    'and go by that. If both are to be paid, ask for this one with payment_number counted up.'
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
