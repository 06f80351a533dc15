import type { Agent } from '../api/shapes.js';
import { unhidden } from '../foreign-text.js';
import type { Question } from '../parts/ask.js';

export type StatusChange = Agent['status'];

type Words = Omit<Question, 'perform' | 'reason'>;

/** What each change does, as the interface promises it. */
const wordsFor: Record<StatusChange, (name: string) => Words> = {
  SUSPENDED: (name) => ({
    title: `Suspend ${name}?`,
    consequence: (
      <p>
        From the moment this is answered every payment it asks for is declined (AGENT_SUSPENDED),
        and none of its waiting challenges can be confirmed. It can be reactivated.
      </p>
    ),
    action: 'Suspend it',
    dangerous: true,
  }),
  ACTIVE: (name) => ({
    title: `Reactivate ${name}?`,
    consequence: <p>It may pay again at once, within its mandates.</p>,
    action: 'Reactivate it',
  }),
  REVOKED: (name) => ({
    title: `Revoke ${name} for good?`,
    consequence: (
      <p>
        Every payment it asks for is declined from now on, all its mandates are revoked and its
        waiting challenges denied. <strong>This cannot be taken back.</strong>
      </p>
    ),
    action: 'Revoke it for good',
    dangerous: true,
  }),
};

export function statusQuestion(
  { display_name: name }: Agent,
  to: StatusChange,
  perform: Question['perform'],
): Question {
  return {
    ...wordsFor[to](`“${unhidden(name)}”`),
    reason: { label: 'Reason, for the record', required: true },
    perform,
  };
}
