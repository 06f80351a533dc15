import { alternatives } from './alternatives.js';
import { amount } from './amount.js';
import { confidence } from './confidence.js';
import type { Feature } from './feature.js';
import { hour } from './hour.js';
import { injectionMarkers } from './injection-markers.js';
import { intentMismatch } from './intent-mismatch.js';
import { mcc } from './mcc.js';
import { counterparty, merchant } from './merchant.js';
import { chainAsset, country } from './place.js';
import { reasoningLength, reasoningReuse } from './reasoning.js';
import { taskLoop } from './task-loop.js';
import { velocity } from './velocity.js';

/** All features of the score, in the order in which they are published. */
export const features: readonly Feature[] = [
  amount,
  mcc,
  merchant,
  counterparty,
  country,
  chainAsset,
  velocity,
  hour,
  confidence,
  alternatives,
  reasoningLength,
  reasoningReuse,
  intentMismatch,
  injectionMarkers,
  taskLoop,
];
