import type { Findings } from './findings.js';
import type { IntentSubject, IntentSurroundings } from './shape.js';

/** The input of every verification step, and where it adds its findings. */
export interface Examination {
  subject: IntentSubject;
  surroundings: IntentSurroundings;
  findings: Findings;
}
