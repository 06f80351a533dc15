import { getThresholds } from '../handlers/get-thresholds.js';
import { previewThresholds } from '../handlers/preview-thresholds.js';
import { putThresholds } from '../handlers/put-thresholds.js';
import { resetThresholds } from '../handlers/reset-thresholds.js';
import { type AnyRoute, route } from '../route.js';
import * as thresholds from '../schemas/threshold.js';

const thresholdsTable = { plane: 'runtime', scope: 'thresholds', tag: 'Thresholds' } as const;

export const thresholdRoutes: AnyRoute[] = [
  route({
    ...thresholdsTable,
    method: 'GET',
    path: '/api/v1/thresholds',
    rateGroup: 'read',
    operation: 'getThresholds',
    summary: 'Read thresholds: resolved values, overrides and defaults',
    responses: { 200: thresholds.thresholds },
    handler: getThresholds,
  }),
  route({
    ...thresholdsTable,
    method: 'PUT',
    path: '/api/v1/thresholds',
    rateGroup: 'write',
    operation: 'putThresholds',
    summary: 'Override thresholds; null reverts one',
    body: thresholds.putThresholds,
    responses: { 200: thresholds.thresholdsUpdated },
    handler: putThresholds,
  }),
  route({
    ...thresholdsTable,
    method: 'POST',
    path: '/api/v1/thresholds/preview',
    rateGroup: 'write',
    operation: 'previewThresholds',
    summary: 'What a change would have made of the last decisions about an Agent',
    access: 'read',
    allowedWhileUnverified: true,
    query: thresholds.previewQuery,
    body: thresholds.putThresholds,
    responses: { 200: thresholds.thresholdsPreview },
    handler: previewThresholds,
    documented: { errors: [404] },
  }),
  route({
    ...thresholdsTable,
    method: 'DELETE',
    path: '/api/v1/thresholds',
    rateGroup: 'write',
    operation: 'resetThresholds',
    summary: 'Remove all overrides',
    responses: { 200: thresholds.thresholdsReset },
    handler: resetThresholds,
  }),
];
