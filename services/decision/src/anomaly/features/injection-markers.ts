import type { Feature } from './feature.js';

/** Words in what the agent says that look as if somebody else had put them there. */
export const injectionMarkers: Feature = {
  name: 'INJECTION_MARKERS',
  meaning: 'words that look as if somebody else had put them there',
  weight: 0.45,
  strength: ({ likeness }) => (likeness.markers ? 1 : 0),
};
