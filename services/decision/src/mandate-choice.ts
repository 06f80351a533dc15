import type { Facts, MandateFacts } from './facts-shape.js';

/** Times are compared as epoch milliseconds: [valid_from, valid_until). */
function isActive(mandate: MandateFacts, at: number): boolean {
  return (
    mandate.status === 'ACTIVE' && hasBegun(mandate, at) && at < Date.parse(mandate.validUntil)
  );
}

/**
 * What began when it was granted has begun for whoever hears of it: by our clock, or by the time
 * of a decision that was under way, it may seem to lie ahead, and the larger one before it to hold.
 */
function hasBegun({ startsAtOnce, validFrom }: MandateFacts, at: number): boolean {
  return startsAtOnce === true || Date.parse(validFrom) <= at;
}

/**
 * What the judge has to know of an agent's mandates, which come newest first: those that cover the
 * rail, up to the first that is active. What is older than that one can never be used.
 */
export function relevantMandates(
  mandates: readonly MandateFacts[],
  rail: string,
  decidedAt: string,
): MandateFacts[] {
  const covering = mandates.filter(({ rails }) => rails.includes(rail.toLowerCase()));
  const at = Date.parse(decidedAt);
  const first = covering.findIndex((mandate) => isActive(mandate, at));
  // Without an active one, the newest alone says why.
  return covering.slice(0, first === -1 ? 1 : first + 1);
}

/**
 * The newest active one that covers the rail, alone; limits of several are never merged. None
 * covers a rail that the Program does not enable, whatever it enabled when the mandate was granted.
 */
export function chosenMandate(facts: Facts): MandateFacts | null {
  if (!enablesRail(facts)) return null;
  const at = Date.parse(facts.decidedAt);
  return facts.mandates.find((mandate) => isActive(mandate, at)) ?? null;
}

/** Records of releases before did not ask, and an agent without a Program has none to ask. */
export function enablesRail({ program, payment }: Pick<Facts, 'program' | 'payment'>): boolean {
  return program?.rails?.includes(payment.rail.toLowerCase()) ?? true;
}

export function hasExpired(mandate: MandateFacts, decidedAt: string): boolean {
  return Date.parse(mandate.validUntil) <= Date.parse(decidedAt);
}
