import type { ComponentChildren } from 'preact';
import type { Explanation } from '../../api/shapes.js';
import { ProblemNote } from '../../parts/problem-note.js';
import { Loaded, type Resource } from '../../parts/resource.js';
import { Section } from '../../parts/screen.js';

interface ExplainedProps {
  of: Resource<Explanation>;
  children: (explanation: Explanation) => ComponentChildren;
}

/** Renders nothing without an explanation: many parts of the page need it, and one says why. */
export function Explained({ of: explanation, children }: ExplainedProps) {
  if (explanation.state === 'failed') return null;
  return <Loaded of={explanation}>{children}</Loaded>;
}

interface UnexplainedProps extends Pick<ExplainedProps, 'of'> {
  onAgain: () => void;
}

/** Why there is no explanation, and what the page therefore lacks; nothing if there is one. */
export function Unexplained({ of: explanation, onAgain }: UnexplainedProps) {
  if (explanation.state !== 'failed') return null;
  return (
    <Section title="Explanation">
      <ProblemNote problem={explanation.problem} onAgain={onAgain} />
      <p>
        The explanation of this decision could not be loaded. Without it, this page does not show
        the recorded facts, the limits, the mandate of that time, what the agent stated, and what it
        was told.
      </p>
    </Section>
  );
}
