import type { Api } from '../api/client.js';
import type { PendingStepUp } from '../api/shapes.js';
import type { Question } from '../parts/ask.js';
import { Foreign } from '../parts/foreign.js';
import { Money } from '../parts/values.js';
import { TransferOf } from './decision/transfer.js';

export type Answer = 'confirm' | 'deny';

/** The consequences of each answer, shown before it is given. */
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
          {payment} is approved and reserved immediately, if agent, mandate and limits still allow
          it. It can be reversed through the API, but not here.
        </p>
      ),
      shows: (shown) => <TransferOf id={id} onShown={shown} />,
      action: 'Confirm payment',
      perform: () => api.send('POST', path),
    };
  }
  return {
    title: 'Deny this payment?',
    consequence: <p>{payment} is declined. The agent may request it again.</p>,
    action: 'Deny payment',
    dangerous: true,
    reason: { label: 'Reason (optional, kept on record)', required: false },
    perform: (reason) => api.send('POST', path, JSON.stringify(reason ? { reason } : {})),
  };
}
