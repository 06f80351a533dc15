import { rateText } from '../amount.js';
import type { Agent, AgentMetrics, Entry, Page } from '../api/shapes.js';
import { unhidden } from '../foreign-text.js';
import { Actions } from '../parts/actions.js';
import { useQuestion } from '../parts/ask.js';
import { Badge } from '../parts/badge.js';
import { Facts, spaced } from '../parts/facts.js';
import { Read } from '../parts/read.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import { Moment } from '../parts/values.js';
import { hrefOf } from '../route.js';
import { type StatusChange, statusQuestion } from './agent-status.js';
import { DecisionTable } from './decisions.js';
import { MandatesOfAgent } from './mandates.js';
import { Promotion } from './promotion.js';

/**
 * One agent: its identity, its activity, its mandates, and the controls to suspend or revoke it.
 */
export function AgentScreen({ id }: { id: string }) {
  return (
    <Read<Agent> path={`/agents/${id}`} screen="Agent">
      {(found, reload) => (
        <Screen title={unhidden(found.display_name)} aside={<Badge word={found.status} />}>
          <StatusButtons agent={found} onChanged={reload} />
          <AgentFacts agent={found} />
          <Metrics id={id} />
          <Section title="Mandates">
            {/* Revoking an agent also revokes its mandates, so the list is reloaded. */}
            <MandatesOfAgent key={found.status} agentId={id} />
          </Section>
          <Section title="Latest decisions">
            <DecisionTable agentId={id} limit="10" />
            <a href={hrefOf('decisions', id)}>All decisions</a>
          </Section>
        </Screen>
      )}
    </Read>
  );
}

function StatusButtons({ agent, onChanged }: { agent: Agent; onChanged: () => void }) {
  const { api } = useDesk();
  const [open, ask] = useQuestion(onChanged);
  const change = (to: StatusChange) =>
    ask(
      statusQuestion(agent, to, (reason) =>
        api.send('PATCH', `/agents/${agent.id}/status`, JSON.stringify({ status: to, reason })),
      ),
    );
  if (agent.status === 'REVOKED') {
    return <p class="note">This agent is permanently revoked and cannot be reactivated.</p>;
  }
  return (
    <>
      <Actions scope="agents">
        {agent.status === 'ACTIVE' ? (
          <button type="button" class="danger" onClick={() => change('SUSPENDED')}>
            Suspend
          </button>
        ) : (
          <button type="button" class="main" onClick={() => change('ACTIVE')}>
            Reactivate
          </button>
        )}
        <button type="button" onClick={() => change('REVOKED')}>
          Revoke permanently
        </button>
      </Actions>
      {open}
    </>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
  return (
    <Facts
      rows={[
        ['id', <code class="id">{agent.id}</code>],
        ['trust', <Badge word={agent.trust_level} />],
        ['may', agent.capabilities.map(spaced).join(', ').toLowerCase()],
        ['since', <Moment at={agent.created_at} />],
        ['DID', <code class="wrap">{agent.did}</code>],
        ['principal', <code class="id">{agent.principal_id}</code>],
      ]}
    />
  );
}

function Metrics({ id }: { id: string }) {
  return (
    <Section title="Activity">
      <Read<AgentMetrics> path={`/agents/${id}/metrics`}>
        {(found) => (
          <div class="columns">
            <Facts
              rows={[
                ['KYA score', <LatestScore id={id} />],
                ['decisions', found.total_transactions],
                ['successful', found.successful_transactions],
                ['declined', found.declined_transactions],
                ['decline rate', rateText(found.decline_rate)],
                ['disputes deflected', rateText(found.dispute_deflection_rate)],
              ]}
            />
            {found.next_trust_level ? (
              <Promotion metrics={found} />
            ) : (
              <p class="quiet">This is the highest trust level.</p>
            )}
          </div>
        )}
      </Read>
    </Section>
  );
}

/** The API returns the score only with each decision, so the latest decision's is shown. */
function LatestScore({ id }: { id: string }) {
  return (
    <Read<Page<Entry>> path={`/authorize/log/agent/${id}?limit=1`}>
      {({ data: [latest] }) =>
        latest ? (
          <>
            {latest.kya_score} <span class="quiet">at its latest decision</span>
          </>
        ) : (
          <span class="quiet">none before its first decision</span>
        )
      }
    </Read>
  );
}
