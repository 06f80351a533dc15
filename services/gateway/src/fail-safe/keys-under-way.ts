import { PassingMap } from '@countersign/runtime/passing-map';
import type { Reply } from '../request.js';

export interface Turn {
  /** Names the key; null where none was sent, and then nobody is waited for. */
  keyScope: string | null;
  bodyHash: string;
  /** How long it waits for those before it. */
  patienceMs: number;
}

interface Answering {
  bodyHash: string;
  reply: Promise<Reply>;
}

/**
 * Of an idempotency key one request at a time is decided here, so that one id at a time can be
 * committed under it without anybody being told. A later one of the same body is told what the
 * earlier one is told; one of another body takes its turn. Holds at most the requests under way.
 */
export class KeysUnderWay {
  readonly #keys = new PassingMap<string, Answering>();

  /** The reply of this request or of the one it repeats; null where its patience ended first. */
  async inTurn(turn: Turn, decide: () => Promise<Reply>): Promise<Reply | null> {
    const { keyScope, bodyHash, patienceMs } = turn;
    if (keyScope === null) return decide();
    const endsAt = performance.now() + patienceMs;
    for (let before = this.#keys.get(keyScope); before; before = this.#keys.get(keyScope)) {
      if (!(await endsWithin(before.reply, endsAt - performance.now()))) return null;
      if (before.bodyHash === bodyHash) return repeated(await before.reply);
    }
    const reply = decide().finally(() => this.#keys.take(keyScope));
    this.#keys.set(keyScope, { bodyHash, reply });
    return reply;
  }
}

function repeated(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
}

/** Whether it ends in time, well or not. */
function endsWithin(reply: Promise<Reply>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), Math.max(0, ms));
    const end = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    reply.then(end, end);
  });
}
