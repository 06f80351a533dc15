import type { Api } from '../api/client.js';
import type { PendingStepUp } from '../api/shapes.js';
import type { Question } from '../parts/ask.js';
import { Foreign } from '../parts/foreign.js';
import { Money } from '../parts/values.js';

export type Answer = 'confirm' | 'deny';

/** What each answer does, before it is given. */
export function stepUpQuestion(api: Api, challenge: PendingStepUp, how: Answer): Question {
  const { authorization_id: id, merchant_name: merchant } = challenge;
  const payment = (
    <strong>
      <Money amount={challenge.amount} currency={challenge.currency} /> to{' '}
      {merchant === null ? (
        'somebody'
      ) : (
        <>
          “<Foreign text={merchant} />”
        </>
      )}
    </strong>
  );
  const path = `/authorize/step-up/${id}/${how}`;
  if (how === 'confirm') {
    return {
      title: 'Confirm this payment?',
      consequence: (
        <p>
          {payment} is approved and reserved at once, if agent, mandate and limits still allow it.
          It can be reversed through the API, not here.
        </p>
      ),
      action: 'Confirm the payment',
      perform: () => api.send('POST', path),
    };
  }
  return {
    title: 'Deny this payment?',
    consequence: <p>{payment} is declined for good. The agent may ask again.</p>,
    action: 'Deny the payment',
    dangerous: true,
    reason: { label: 'Reason, for the record (may stay empty)', required: false },
    perform: (reason) => api.send('POST', path, JSON.stringify(reason ? { reason } : {})),
  };
}
