import type { Findings } from './findings.js';
import type { IntentSubject, IntentSurroundings } from './shape.js';

/** What every step of the verification may look at, and where it says what it found. */
export interface Examination {
  subject: IntentSubject;
  surroundings: IntentSurroundings;
  findings: Findings;
}
