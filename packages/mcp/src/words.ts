import { isZero } from './amount.js';
import type { Context } from './context.js';
import type { Transfer } from './payment-key.js';
import type { KnownReason } from './reason-book.js';
import { isDenied, isExpired, mayAskAnew, type Standing } from './standing.js';
import type { Told } from './tools/shapes.js';

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
    transfer: transferOf(standing),
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
  // Quoted, because it is text of the caller.
  const to = told.merchant === null ? '' : ` to ${JSON.stringify(told.merchant)}`;
  const headline = headlineOf(told);
  const as = told.transfer === null ? '' : `, a transfer of ${inUnits(told.transfer)},`;
  const isInPart = !reversed && !isZero(back);
  return [
    `${decision}: the payment of ${amount} ${currency}${to}${as} is ${headline} (${id}).`,
    ...(isInPart ? [`A further ${back} ${currency} of the approval was reversed.`] : []),
    ...(told.detail === '' ? [] : [told.detail]),
    ...told.reasons.map(({ code, meaning }) => `- ${code}: ${meaning}`),
    `What to do: ${told.next_step}`,
  ].join('\n');
}

/** The fields that identify a transfer; the record has others as well. */
function transferOf({ transfer }: Standing): Transfer | null {
  if (!transfer) return null;
  const { chain, asset, counterparty, value } = transfer;
  return { chain, asset, counterparty, value };
}

function inUnits({ chain, asset, counterparty, value }: Transfer): string {
  return `${value} ${asset} on ${chain} to ${counterparty}`;
}

function headlineOf({ decision, reversed, may_pay: mayPay }: Told): string {
  if (reversed) return 'reversed: do not pay';
  const isElsewhere = decision === 'APPROVE' && !mayPay;
  return isElsewhere ? 'approved for another merchant: do not pay' : headlines[decision];
}

const headlines = {
  APPROVE: 'approved',
  DECLINE: 'declined: do not pay',
  STEP_UP: 'not approved yet: do not pay',
} as const;

function nextStep(standing: Standing, reasons: readonly KnownReason[]): string {
  const { decision, isRepeated, amount, currency, transfer, isReversed, otherMerchant } = standing;
  if (isReversed) return 'Do not pay. Call request_payment again if the payment is still wanted.';
  if (isDenied(standing)) return afterDenial(standing);
  if (isExpired(standing)) return afterExpiry;
  if (otherMerchant !== null && decision !== 'DECLINE') return afterOther(otherMerchant);
  if (decision === 'STEP_UP') return afterStepUp(standing);
  if (decision === 'DECLINE') return afterDecline(reasons);
  const pay = transfer ? `Send exactly ${inUnits(transfer)}` : `Pay exactly ${amount} ${currency}`;
  if (!isRepeated) return `${pay}, once.`;
  return (
    'This is the earlier approval, not an additional one: if it was paid, do not pay ' +
    `again. ${pay}, once, if it was not. For another identical payment, increase payment_number.`
  );
}

/** Too many wrong codes deny a payment as a human does, but no human has refused it. */
function afterDenial({ stepUp }: Standing): string {
  return stepUp?.resolved_by?.startsWith('otp:')
    ? 'It was denied because its code was wrong too often. Tell the user; do not request it again.'
    : 'A human has denied this payment. Do not request it again.';
}

const afterExpiry =
  'Nobody confirmed it in time. Call request_payment again if it is still wanted, and rather ' +
  'when somebody is there to confirm it.';

/** Many hosts show a model only the text, so the time is not in the data alone. */
function afterStepUp({ stepUp }: Standing): string {
  const by = stepUp === null ? 'first' : `before ${stepUp.expires_at}`;
  return (
    `A human has to confirm it ${by}, in the user's application or with the code that was sent; ` +
    'a yes to you does not confirm it. Tell the user, then check with payment_status; ' +
    'requesting it again before then does not help.'
  );
}

function afterOther(merchant: string): string {
  return (
    `That is a payment to ${JSON.stringify(merchant)} for the same task and amount; ` +
    'nobody else may be paid with it. If it is the same merchant, check it with payment_status ' +
    'and follow that. If both are to be paid, request this one with a higher payment_number.'
  );
}

/** All reasons have to be resolved, so the most severe one determines the advice. */
const hardestFirst: ReadonlyArray<[KnownReason['retry'], string]> = [
  ['never', 'It cannot be approved for this agent. Tell the user, and do not request it again.'],
  [
    'after_human',
    'A human has to change something first, unless a reason above says when to ask again. ' +
      'Tell the user the reasons.',
  ],
  [
    'change_request',
    'Change the payment as described above, if the task allows it, or tell the user. Never split ' +
      'it, and never state an amount, a currency or a merchant other than the real one.',
  ],
  [
    'after_window',
    'Request it again at the time named above, or tell the user. Request less only if an amount ' +
      'is named above and the task allows it; never split it.',
  ],
  [
    'transient',
    'A temporary failure. Request it again shortly, with exactly the same arguments: they get ' +
      'a new key by themselves.',
  ],
];

const afterWrongAgent =
  'COUNTERSIGN_AGENT_ID, COUNTERSIGN_PRINCIPAL_ID or the credential of this server is not right. ' +
  'Tell the user; requesting it again does not help.';

function afterDecline(reasons: readonly KnownReason[]): string {
  // The model does not choose the agent, so a wrong one is a mistake in the configuration.
  if (reasons.some(({ code }) => code === 'AGENT_NOT_FOUND')) return afterWrongAgent;
  const hardest = hardestFirst.find(([retry]) => reasons.some((each) => each.retry === retry));
  return hardest?.[1] ?? 'Tell the user.';
}

/** True if it was requested the maximum number of times and will not be requested again. */
export function isSpent(standing: Standing): boolean {
  return standing.isRepeated && mayAskAnew(standing);
}
