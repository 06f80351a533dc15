import type { AnyRoute } from './route.js';
import { agentRoutes } from './routes/agents.js';
import { authorizationRoutes } from './routes/authorization.js';
import { documentationRoutes } from './routes/documentation.js';
import { onboardingRoutes } from './routes/onboarding.js';
import { outcomeRoutes } from './routes/outcomes.js';
import { publicRoutes } from './routes/public.js';
import { thresholdRoutes } from './routes/thresholds.js';
import { webhookRoutes } from './routes/webhooks.js';

/** The whole API as one table, by chapter. */
export const routes: readonly AnyRoute[] = [
  ...onboardingRoutes,
  ...authorizationRoutes,
  ...agentRoutes,
  ...outcomeRoutes,
  ...webhookRoutes,
  ...thresholdRoutes,
  ...publicRoutes,
  ...documentationRoutes(() => routes),
];
