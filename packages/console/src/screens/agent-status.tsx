import type { Agent } from '../api/shapes.js';
import { unhidden } from '../foreign-text.js';
import type { Question } from '../parts/ask.js';

export type StatusChange = Agent['status'];

type Words = Omit<Question, 'perform' | 'reason'>;

/** The consequences of each change, as the API specifies them. */
const wordsFor: Record<StatusChange, (name: string) => Words> = {
  SUSPENDED: (name) => ({
    title: `Suspend ${name}?`,
    consequence: (
      <p>
        As soon as this is done, every payment it requests is declined (AGENT_SUSPENDED) and none of
        its pending step-ups can be confirmed. You can reactivate it later.
      </p>
    ),
    action: 'Suspend agent',
    dangerous: true,
  }),
  ACTIVE: (name) => ({
    title: `Reactivate ${name}?`,
    consequence: <p>It can make payments again immediately, within its mandates.</p>,
    action: 'Reactivate agent',
  }),
  REVOKED: (name) => ({
    title: `Revoke ${name} permanently?`,
    consequence: (
      <p>
        From now on every payment it requests is declined, its mandates are revoked and its pending
        step-ups are denied. <strong>This cannot be undone.</strong>
      </p>
    ),
    action: 'Revoke agent permanently',
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
    reason: { label: 'Reason (kept on record)', required: true },
    perform,
  };
}
