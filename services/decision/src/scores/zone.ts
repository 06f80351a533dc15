import type { Thresholds } from '@countersign/kernel/threshold';
import type { Zone } from '@countersign/kernel/vocabulary';

type Bounds = Pick<Thresholds, 'ctsGreenThreshold' | 'ctsAmberThreshold' | 'ctsRedThreshold'>;
type Multipliers = Pick<Thresholds, 'cognitiveMultiplierRed' | 'cognitiveMultiplierCritical'>;

/** CRITICAL < red ≤ RED < amber ≤ AMBER < green ≤ GREEN, compared after rounding. */
export function zoneOf(kyaScore: number, bounds: Bounds): Zone {
  if (kyaScore >= bounds.ctsGreenThreshold) return 'GREEN';
  if (kyaScore >= bounds.ctsAmberThreshold) return 'AMBER';
  if (kyaScore >= bounds.ctsRedThreshold) return 'RED';
  return 'CRITICAL';
}

/** The factor on the limit of one transaction. */
export function cognitiveMultiplier(zone: Zone, multipliers: Multipliers): number {
  if (zone === 'RED') return multipliers.cognitiveMultiplierRed;
  if (zone === 'CRITICAL') return multipliers.cognitiveMultiplierCritical;
  return 1;
}
