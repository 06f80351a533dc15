export interface SlotLimits {
  /** Deliveries that this replica sends at once, over all endpoints. */
  total: number;
  /** Of one endpoint that answers well. */
  perEndpoint: number;
}

/** What may be claimed: how many of each endpoint named, and of any other. */
export interface Openings {
  free: number;
  webhookIds: string[];
  each: number[];
  others: number;
}

/** Endpoints of each kind that are remembered; who is forgotten starts as a stranger again. */
const rememberedEndpoints = 1_000;

/**
 * Who may be sent to now. An endpoint has to answer well before it gets more than one place, and
 * all whose last answer was bad or slow may hold half of the places together: however many
 * endpoints are dead, the others find room.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #badLimit: number;
  readonly #inFlight = new Map<string, number>();
  /** Both in the order of their last answer. */
  readonly #good = new Set<string>();
  readonly #bad = new Set<string>();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#badLimit = Math.max(1, Math.floor(limits.total / 2));
  }

  get taken(): number {
    return this.#taken;
  }

  openings(): Openings {
    const allowed = new Map<string, number>();
    for (const id of this.#inFlight.keys()) allowed.set(id, 1);
    for (const id of this.#good) allowed.set(id, this.#limits.perEndpoint);
    let badRoom = this.#badLimit - this.#heldByBad();
    for (const id of this.#bad) {
      const admitted = badRoom > 0 && !this.#inFlight.has(id);
      if (admitted) badRoom -= 1;
      allowed.set(id, admitted ? 1 : 0);
    }
    const webhookIds = [...allowed.keys()];
    const each = webhookIds.map((id) =>
      Math.max(0, (allowed.get(id) ?? 0) - (this.#inFlight.get(id) ?? 0)),
    );
    return { free: this.#limits.total - this.#taken, webhookIds, each, others: 1 };
  }

  take(webhookId: string): void {
    this.#taken += 1;
    this.#inFlight.set(webhookId, (this.#inFlight.get(webhookId) ?? 0) + 1);
  }

  give(webhookId: string, answeredWell: boolean): void {
    this.#taken -= 1;
    const left = (this.#inFlight.get(webhookId) ?? 1) - 1;
    if (left > 0) this.#inFlight.set(webhookId, left);
    else this.#inFlight.delete(webhookId);
    this.#good.delete(webhookId);
    this.#bad.delete(webhookId);
    remember(answeredWell ? this.#good : this.#bad, webhookId);
  }

  #heldByBad(): number {
    let held = 0;
    for (const [id, count] of this.#inFlight) if (this.#bad.has(id)) held += count;
    return held;
  }
}

function remember(endpoints: Set<string>, webhookId: string): void {
  endpoints.add(webhookId);
  const [oldest] = endpoints;
  if (endpoints.size > rememberedEndpoints && oldest) endpoints.delete(oldest);
}
