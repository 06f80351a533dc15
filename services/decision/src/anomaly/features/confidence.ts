import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

const lowConfidence = 0.5;

/**
 * Either unusually confident, as after an injected instruction, or doubtful by its own account.
 */
export const confidence: Feature = {
  name: 'CONFIDENCE',
  meaning: '`confidence` far above its usual value, or below 0.5',
  weight: 0.15,
  strength: ({ payment, likeness: { confidenceZ = 0 } }) => {
    const stated = payment.intentContext.confidence;
    if (stated === null) return 0;
    return clampToOne(Math.max((confidenceZ - 2) / 3, (lowConfidence - stated) / lowConfidence));
  },
};
