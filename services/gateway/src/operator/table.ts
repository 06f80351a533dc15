import type { OperatorRoute } from './route.js';
import { clientRoutes } from './routes/clients.js';
import { credentialRoutes } from './routes/credentials.js';
import { documentationRoutes } from './routes/documentation.js';
import { installationRoutes } from './routes/installation.js';
import { principalRoutes } from './routes/principals.js';

/** The whole operator interface. */
export const operatorRoutes: readonly OperatorRoute[] = [
  ...clientRoutes,
  ...credentialRoutes,
  ...principalRoutes,
  ...installationRoutes,
  ...documentationRoutes(() => operatorRoutes),
];
