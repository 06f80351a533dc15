import { PassingMap } from '@countersign/runtime/passing-map';
import type { Reply } from '../request.js';
import { endsWithin } from './ends-within.js';

export interface Turn {
  /** The idempotency key with its owner; null where none was sent: then nothing is waited for. */
  keyScope: string | null;
  bodyHash: string;
  /** How long to wait for earlier requests with the same key. */
  patienceMs: number;
}

/** A reply, and whether the ledger knows it for the first answer of its key. */
export interface Told {
  reply: Reply;
  isOnRecord: boolean;
}

interface Answering {
  bodyHash: string;
  told: Promise<Told>;
}

/**
 * Decides one request at a time for each idempotency key, so that at most one authorization id can
 * be committed under a key without its caller having been answered. A later request with the same
 * body gets the reply of the earlier one; one with another body waits and is decided after it.
 * What failed safe is not called a replay: the key may have had another answer before. Bounded by
 * the number of requests in flight.
 */
export class KeysInFlight {
  readonly #keys = new PassingMap<string, Answering>();

  /** The reply to this request, or to the one it repeats; null where `patienceMs` ran out first. */
  async inTurn(turn: Turn, decide: () => Promise<Told>): Promise<Reply | null> {
    const { keyScope, bodyHash, patienceMs } = turn;
    if (keyScope === null) return (await decide()).reply;
    const endsAt = performance.now() + patienceMs;
    for (let before = this.#keys.get(keyScope); before; before = this.#keys.get(keyScope)) {
      if (!(await endsWithin(before.told, endsAt - performance.now()))) return null;
      if (before.bodyHash === bodyHash) return repeated(await before.told);
    }
    const told = decide().finally(() => this.#keys.take(keyScope));
    this.#keys.set(keyScope, { bodyHash, told });
    return (await told).reply;
  }
}

function repeated({ reply, isOnRecord }: Told): Reply {
  if (!isOnRecord) return reply;
  return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
}
