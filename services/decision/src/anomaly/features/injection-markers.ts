import type { Feature } from './feature.js';

export const injectionMarkers: Feature = {
  name: 'INJECTION_MARKERS',
  meaning: 'text that looks like an injected instruction',
  weight: 0.45,
  strength: ({ likeness }) => (likeness.markers ? 1 : 0),
};
