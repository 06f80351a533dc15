import type { Entry, Explanation } from '../../api/shapes.js';
import { Facts, Kept } from '../../parts/facts.js';
import type { Resource } from '../../parts/resource.js';
import { Section } from '../../parts/screen.js';
import { Score } from '../../parts/values.js';
import { Explained } from './explained.js';

interface Props {
  entry: Entry;
  explanation: Resource<Explanation>;
}

/** The recorded scores and their components. */
export function ScoresSection({ entry, explanation }: Props) {
  return (
    <Section title="Scores">
      <Facts
        rows={[
          ['KYA', <Score label="KYA score" value={entry.kya_score} />],
          ['risk', <Score label="Risk score" value={entry.risk_score} />],
          ['trust level', entry.trust_level],
          ['intent verified', entry.vi_verified ? 'yes' : 'no'],
        ]}
      />
      <Explained of={explanation}>
        {({ scores }) =>
          scores === null ? (
            <p class="quiet">Nothing was scored: the decision failed safe.</p>
          ) : (
            <details>
              <summary>Components</summary>
              <Kept value={scores} />
            </details>
          )
        }
      </Explained>
    </Section>
  );
}
