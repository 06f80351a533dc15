export interface SlotLimits {
  /** Concurrent deliveries of this replica, over all endpoints. */
  total: number;
  /** Concurrent deliveries to one proven endpoint. */
  perEndpoint: number;
}

/** The slots that are free, as the claim statement needs them. */
export interface Openings {
  free: number;
  /** How many of the free slots may go to unproven endpoints, over all Principals. */
  unprovenFree: number;
  /** Slots that one Principal may hold, and how many of these its unproven endpoints may hold. */
  share: number;
  unprovenShare: number;
  /** Any other endpoint is unproven, gets one slot, and comes before those that were tried. */
  endpoints: KnownEndpoints;
  /** Principals with deliveries in flight: how many, and how many to unproven endpoints. */
  principals: { ids: string[]; held: number[]; unproven: number[] };
}

/** Endpoints with a history, as parallel lists. */
interface KnownEndpoints {
  ids: string[];
  free: number[];
  proven: boolean[];
  /** Sequence number of its last response; 0 before the first. */
  lastAnswer: number[];
}

/** How an endpoint answered: successfully and fast, successfully but slowly, or with a failure. */
export type Answered = 'promptly' | 'slowly' | 'badly';

/** The webhook and Principal that hold a slot. */
interface Holder {
  webhookId: string;
  principalId: string;
}

/** Maximum share of one Principal, so that its dead endpoints do not delay those of others. */
const shareOfPrincipal = 1 / 8;
const shareOfUnproven = 1 / 2;
/** Endpoints of each kind that are remembered; one that is evicted counts as new again. */
const rememberedEndpoints = 1_000;

/**
 * Divides the concurrent deliveries of a replica fairly. An endpoint is proven while its last
 * answer was successful and fast. Unproven ones get one slot each, or as many as a proven one
 * where they are merely slow, and together at most half of all slots and half of their Principal's
 * share. So dead and slow endpoints, however many, always leave room for proven ones, and no
 * Principal holds more than its share.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #share: number;
  readonly #inFlight = new Map<string, { principalId: string; count: number }>();
  /** Endpoint to the sequence number of its last response, oldest first. */
  readonly #proven = new Map<string, number>();
  readonly #unproven = new Map<string, number>();
  /** Unproven endpoints whose last response was successful but slow. */
  readonly #slow = new Set<string>();
  #taken = 0;
  #answers = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#share = part(limits.total, shareOfPrincipal);
  }

  get taken(): number {
    return this.#taken;
  }

  openings(): Openings {
    const { total } = this.#limits;
    const principals = this.#held();
    const unproven = principals.unproven.reduce((sum, held) => sum + held, 0);
    return {
      free: total - this.#taken,
      unprovenFree: part(total, shareOfUnproven) - unproven,
      share: this.#share,
      unprovenShare: part(this.#share, shareOfUnproven),
      endpoints: this.#endpoints(),
      principals,
    };
  }

  take({ webhookId, principalId }: Holder): void {
    this.#taken += 1;
    const held = this.#inFlight.get(webhookId);
    if (held) held.count += 1;
    else this.#inFlight.set(webhookId, { principalId, count: 1 });
  }

  give({ webhookId }: Holder, answered: Answered): void {
    this.#taken -= 1;
    const held = this.#inFlight.get(webhookId);
    if (held) held.count -= 1;
    if (held?.count === 0) this.#inFlight.delete(webhookId);
    this.#proven.delete(webhookId);
    this.#unproven.delete(webhookId);
    this.#answers += 1;
    if (answered === 'slowly') this.#slow.add(webhookId);
    else this.#slow.delete(webhookId);
    const kind = answered === 'promptly' ? this.#proven : this.#unproven;
    const forgotten = remember(kind, webhookId, this.#answers);
    if (forgotten !== null) this.#slow.delete(forgotten);
  }

  #endpoints(): KnownEndpoints {
    const { perEndpoint } = this.#limits;
    const known = new Set([...this.#proven.keys(), ...this.#unproven.keys()]);
    for (const id of this.#inFlight.keys()) known.add(id);
    const ids = [...known];
    const proven = ids.map((id) => this.#proven.has(id));
    const free = ids.map((id, index) => {
      const most = proven[index] || this.#slow.has(id) ? perEndpoint : 1;
      return Math.max(0, most - (this.#inFlight.get(id)?.count ?? 0));
    });
    const lastAnswer = ids.map((id) => this.#proven.get(id) ?? this.#unproven.get(id) ?? 0);
    return { ids, free, proven, lastAnswer };
  }

  #held(): Openings['principals'] {
    const held = new Map<string, { all: number; unproven: number }>();
    for (const [webhookId, { principalId, count }] of this.#inFlight) {
      const { all, unproven } = held.get(principalId) ?? { all: 0, unproven: 0 };
      const more = this.#proven.has(webhookId) ? 0 : count;
      held.set(principalId, { all: all + count, unproven: unproven + more });
    }
    const counts = [...held.values()];
    return {
      ids: [...held.keys()],
      held: counts.map(({ all }) => all),
      unproven: counts.map(({ unproven }) => unproven),
    };
  }
}

/** At least one, even if there are few slots in total. */
function part(whole: number, share: number): number {
  return Math.max(1, Math.floor(whole * share));
}

/** Returns the endpoint that was evicted, if any. */
function remember(
  endpoints: Map<string, number>,
  webhookId: string,
  answer: number,
): string | null {
  endpoints.set(webhookId, answer);
  if (endpoints.size <= rememberedEndpoints) return null;
  const [oldest = null] = endpoints.keys();
  if (oldest !== null) endpoints.delete(oldest);
  return oldest;
}
