import { getCase } from '../handlers/get-case.js';
import { listCases } from '../handlers/list-cases.js';
import { listFraudPatterns } from '../handlers/list-fraud-patterns.js';
import { listOutcomes } from '../handlers/list-outcomes.js';
import { listSettlements } from '../handlers/list-settlements.js';
import { reportOutcome } from '../handlers/report-outcome.js';
import { reportOutcomes } from '../handlers/report-outcomes.js';
import { reportSettlement } from '../handlers/report-settlement.js';
import { resolveCase } from '../handlers/resolve-case.js';
import { type AnyRoute, route } from '../route.js';
import * as cases from '../schemas/case.js';
import { patternPage } from '../schemas/fraud-pattern.js';
import { pageQuerySchema } from '../schemas/list.js';
import * as outcomes from '../schemas/outcome.js';
import { authorizationPath, casePath } from '../schemas/path.js';
import * as settlements from '../schemas/settlement.js';

const outcomesTable = { plane: 'runtime', scope: 'outcomes', tag: 'Outcomes' } as const;
const settlementsTable = {
  plane: 'runtime',
  scope: 'outcomes',
  tag: 'Crypto settlements',
} as const;
const casesTable = { plane: 'runtime', scope: 'cases', tag: 'Cases' } as const;
const maxBatchBytes = 2 * 1024 * 1024;

export const outcomeRoutes: AnyRoute[] = [
  route({
    ...outcomesTable,
    method: 'POST',
    path: '/api/v1/outcomes',
    rateGroup: 'write',
    operation: 'reportOutcome',
    summary: 'Report what happened after an authorization',
    allowedWhileUnverified: true,
    body: outcomes.reportOutcome,
    responses: { 201: outcomes.outcome, 200: outcomes.outcome },
    handler: reportOutcome,
    documented: {
      description:
        'Idempotent per authorization and outcome type: 201 for a new outcome, 200 otherwise. ' +
        'Of SETTLED and CLEARED, the report with the latest `settled_at` counts; nothing else in ' +
        'a repetition changes the outcome.',
      errors: [404],
    },
  }),
  route({
    ...outcomesTable,
    method: 'POST',
    path: '/api/v1/outcomes/batch',
    rateGroup: 'write',
    operation: 'reportOutcomes',
    summary: 'Report up to 500 outcomes, each accepted or rejected on its own',
    allowedWhileUnverified: true,
    maxBodyBytes: maxBatchBytes,
    body: outcomes.reportOutcomes,
    responses: { 200: outcomes.outcomeBatch },
    handler: reportOutcomes,
  }),
  route({
    ...outcomesTable,
    method: 'GET',
    path: '/api/v1/outcomes/:authorization_id',
    rateGroup: 'read',
    operation: 'listOutcomes',
    summary: 'List the outcomes of an authorization, newest first',
    params: authorizationPath,
    query: pageQuerySchema,
    responses: { 200: outcomes.outcomePage },
    handler: listOutcomes,
  }),
  route({
    ...settlementsTable,
    method: 'POST',
    path: '/api/v1/crypto/settlements',
    rateGroup: 'write',
    operation: 'reportSettlement',
    summary: 'Report the on-chain transfer of an approved crypto authorization',
    access: 'spend',
    allowedWhileUnverified: true,
    body: settlements.reportSettlement,
    responses: { 201: settlements.settlement, 200: settlements.settlement },
    handler: reportSettlement,
    documented: {
      description:
        'Idempotent on `tx_hash`: 201 at first, 200 when repeated. Several transfers may settle ' +
        'one authorization: together no more than it approved, and what would be more has ' +
        'FAILED. A failure other than NOT_FOUND_TIMEOUT is final once it has ' +
        '`required_confirmations`: until then a reorganisation of the chain can undo it. A ' +
        'transaction belongs to the authorization that it was reported for first, unless it has ' +
        'FAILED for that one; for any other it is 400. Nobody else can be first if you report ' +
        'it before you send it. At most 20 transactions of an authorization, and 1,000 of a ' +
        'Principal, may not have been seen on chain yet: one more is 429.',
    },
  }),
  route({
    ...settlementsTable,
    method: 'GET',
    path: '/api/v1/crypto/settlements/:authorization_id',
    rateGroup: 'read',
    operation: 'listSettlements',
    summary: 'List the settlements of an authorization, oldest first',
    params: authorizationPath,
    responses: { 200: settlements.settlementList },
    handler: listSettlements,
  }),
  route({
    ...casesTable,
    method: 'GET',
    path: '/api/v1/cases',
    rateGroup: 'read',
    operation: 'listCases',
    summary: 'List fraud cases, newest first',
    query: pageQuerySchema,
    responses: { 200: cases.casePage },
    handler: listCases,
    documented: { errors: [404] },
  }),
  route({
    ...casesTable,
    method: 'GET',
    path: '/api/v1/cases/:case_id',
    rateGroup: 'read',
    operation: 'getCase',
    summary: 'Read a fraud case',
    params: casePath,
    responses: { 200: cases.fraudCase },
    handler: getCase,
  }),
  route({
    ...casesTable,
    method: 'POST',
    path: '/api/v1/cases/:case_id/resolve',
    rateGroup: 'write',
    operation: 'resolveCase',
    summary: 'Resolve a fraud case',
    params: casePath,
    body: cases.resolveCase,
    responses: { 200: cases.fraudCase },
    handler: resolveCase,
  }),
  route({
    ...casesTable,
    method: 'GET',
    path: '/api/v1/fraud-patterns',
    rateGroup: 'read',
    operation: 'listFraudPatterns',
    summary: 'List suspected takeovers of agents, newest first',
    query: pageQuerySchema,
    responses: { 200: patternPage },
    handler: listFraudPatterns,
    documented: { errors: [404] },
  }),
];
