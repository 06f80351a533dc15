import type { Facts, MandateFacts } from './facts/shape.js';

/** Times are compared as epoch milliseconds: [valid_from, valid_until). */
function isActive(mandate: MandateFacts, at: number): boolean {
  return (
    mandate.status === 'ACTIVE' && hasBegun(mandate, at) && at < Date.parse(mandate.validUntil)
  );
}

/**
 * A mandate that is valid from its creation is valid for everyone who knows it. By the clock of
 * this service, or the time of a decision in flight, its start may still be in the future; an older
 * mandate with higher limits must not be used because of that.
 */
function hasBegun({ startsAtOnce, validFrom }: MandateFacts, at: number): boolean {
  return startsAtOnce === true || Date.parse(validFrom) <= at;
}

/**
 * The mandates that an evaluation needs: those that cover the rail, newest first, up to the first
 * that is active. Older ones can never be used.
 */
export function relevantMandates(
  mandates: readonly MandateFacts[],
  rail: string,
  decidedAt: string,
): MandateFacts[] {
  const covering = mandates.filter(({ rails }) => rails.includes(rail.toLowerCase()));
  const at = Date.parse(decidedAt);
  const first = covering.findIndex((mandate) => isActive(mandate, at));
  // Without an active mandate, the newest one gives the reason.
  return covering.slice(0, first === -1 ? 1 : first + 1);
}

/**
 * The newest active mandate that covers the rail; limits of several are never merged. None covers a
 * rail that the Program does not enable, even if it did when the mandate was granted.
 */
export function chosenMandate(facts: Facts): MandateFacts | null {
  if (!enablesRail(facts)) return null;
  const at = Date.parse(facts.decidedAt);
  return facts.mandates.find((mandate) => isActive(mandate, at)) ?? null;
}

/** True also without a Program. */
export function enablesRail({ program, payment }: Pick<Facts, 'program' | 'payment'>): boolean {
  return program?.rails.includes(payment.rail.toLowerCase()) ?? true;
}

export function hasExpired(mandate: MandateFacts, decidedAt: string): boolean {
  return Date.parse(mandate.validUntil) <= Date.parse(decidedAt);
}
