import type { Explanation } from './api/shapes.js';

type Kept = Record<string, unknown>;

/** The parts of the record that rules use; each is empty if absent. */
export interface Parts {
  decidedAt: unknown;
  payment: Kept;
  crypto: Kept;
  agent: Kept;
  principal: Kept;
  program: Kept;
  mandate: Kept;
  usage: Kept;
  velocity: Kept;
  thresholds: Kept;
  scores: { kya: Kept; anomaly: Kept; risk: Kept; zone: unknown };
}

export function partsOf({ inputs, scores }: Explanation, mandateId: string | null): Parts {
  const mandates = (inputs.mandates ?? []) as Kept[];
  const payment = part(inputs.payment);
  return {
    decidedAt: inputs.decided_at,
    payment,
    crypto: part(payment.crypto),
    agent: part(inputs.agent),
    principal: part(inputs.principal),
    program: part(inputs.program),
    // If no mandate was used, the reasons refer to the newest.
    mandate: mandates.find(({ id }) => id === mandateId) ?? part(mandates[0]),
    usage: part(part(inputs.limits).usage),
    velocity: part(inputs.velocity),
    thresholds: part(inputs.thresholds),
    scores: {
      kya: part(scores?.kya),
      anomaly: part(scores?.anomaly),
      risk: part(scores?.risk),
      zone: scores?.zone,
    },
  };
}

function part(value: unknown): Kept {
  return typeof value === 'object' && value !== null ? (value as Kept) : {};
}
