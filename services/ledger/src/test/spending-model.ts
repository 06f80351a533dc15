export const limits = { dailyAmount: 100, monthlyAmount: 250, dailyCount: 6, monthlyCount: 14 };
export const challengeMs = 300_000;
const mostChallenges = 5;

export interface Spent {
  amount: number;
  decision: 'APPROVE' | 'DECLINE' | 'STEP_UP';
  /** The day of the reservation, YYYY-MM-DD; null if nothing was reserved. */
  day: string | null;
  reversed: number;
  counted: boolean;
  /** Epoch milliseconds until which a challenge can be answered; null if it no longer can. */
  openUntil: number | null;
}

/** A model of a mandate's usage as sums over a list, in whole units, without locks or clocks. */
export class SpendingModel {
  readonly payments: Spent[] = [];
  constructor(public now: number) {}

  get today(): string {
    return new Date(this.now).toISOString().slice(0, 10);
  }

  used(window: string): { amount: number; count: number } {
    const within = this.payments.filter(({ day }) => day?.startsWith(window));
    const amount = within.reduce((sum, payment) => sum + payment.amount - payment.reversed, 0);
    return { amount, count: within.filter(({ counted }) => counted).length };
  }

  exceeds(amount: number): boolean {
    const [day, month] = [this.used(this.today), this.used(this.today.slice(0, 7))];
    return (
      day.amount + amount > limits.dailyAmount ||
      month.amount + amount > limits.monthlyAmount ||
      day.count >= limits.dailyCount ||
      month.count >= limits.monthlyCount
    );
  }

  authorize(amount: number, requested: 'APPROVE' | 'STEP_UP'): Spent {
    const full = this.payments.filter((each) => this.isOpen(each)).length >= mostChallenges;
    const declined = this.exceeds(amount) || (requested === 'STEP_UP' && full);
    const decision = declined ? 'DECLINE' : requested;
    const day = decision === 'APPROVE' ? this.today : null;
    const openUntil = decision === 'STEP_UP' ? this.now + challengeMs : null;
    const spent: Spent = { amount, decision, day, reversed: 0, counted: true, openUntil };
    this.payments.push(spent);
    return spent;
  }

  isOpen({ openUntil }: Spent): boolean {
    return openUntil !== null && this.now < openUntil;
  }

  /** The released amount; null if it exceeds the remaining one, or nothing was reserved. */
  reverse(payment: Spent, part: number | null): number | null {
    const rest = payment.amount - payment.reversed;
    if (payment.day === null || (rest > 0 && (part ?? 0) > rest)) return null;
    if (part === null) payment.counted = false;
    const released = Math.min(part ?? rest, rest);
    payment.reversed += released;
    return released;
  }
}
