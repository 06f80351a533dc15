import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Screen } from '../parts/screen.js';
import { hrefOf, type Route, type Screen as ScreenName } from '../route.js';
import { AgentScreen } from './agent.js';
import { AgentsScreen } from './agents.js';
import { CaseScreen, CasesScreen } from './cases.js';
import { DecisionScreen } from './decision.js';
import { DecisionsScreen } from './decisions.js';
import { LogScreen } from './log.js';
import { MandateScreen } from './mandate.js';
import { StepUpsScreen } from './step-ups.js';
import { TakeoversScreen } from './takeovers.js';
import { ThresholdsScreen } from './thresholds.js';
import { WebhookScreen, WebhooksScreen } from './webhooks.js';

const screens: Record<ScreenName, (route: Route) => ComponentChildren> = {
  agents: ({ query }) => <AgentsScreen query={query} />,
  agent: ({ id }) => <AgentScreen id={id} />,
  decisions: ({ id, query }) => <DecisionsScreen agentId={id} query={query} />,
  log: ({ query }) => <LogScreen query={query} />,
  decision: ({ id }) => <DecisionScreen id={id} />,
  mandate: ({ id }) => <MandateScreen id={id} />,
  'step-ups': ({ query }) => <StepUpsScreen query={query} />,
  cases: ({ query }) => <CasesScreen query={query} />,
  case: ({ id }) => <CaseScreen id={id} />,
  takeovers: ({ query }) => <TakeoversScreen query={query} />,
  webhooks: ({ query }) => <WebhooksScreen query={query} />,
  webhook: ({ id, query }) => <WebhookScreen id={id} query={query} />,
  thresholds: () => <ThresholdsScreen />,
};

/** An error boundary: the response of another release may lack fields that a screen needs. */
export function ScreenOf({ route }: { route: Route | null }) {
  const [failure] = useErrorBoundary();
  if (failure) return <Unshowable failure={failure} />;
  return <>{route ? screens[route.screen](route) : <Nowhere />}</>;
}

function Unshowable({ failure }: { failure: unknown }) {
  return (
    <Screen title="This page cannot be shown">
      <p class="note bad" role="alert">
        The console does not understand a response of the service: {String(failure)}. Nothing was
        changed. If the service was updated, reloading the page may help.
      </p>
    </Screen>
  );
}

function Nowhere() {
  return (
    <Screen title="Page not found">
      <p>
        There is no page at this address. <a href={hrefOf('agents')}>Go to agents</a>
      </p>
    </Screen>
  );
}
