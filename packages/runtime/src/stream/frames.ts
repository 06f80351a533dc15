/** The messages of `countersign.v1.Multiplex`, as both sides of a stream write and read them. */
export interface Frames {
  frames: Frame[];
  closing?: boolean;
}

export interface Frame {
  id: number;
  method?: string;
  payload?: Buffer | undefined;
  fault?: Buffer;
  timeoutMs?: number;
  sandbox?: boolean;
  requestId?: string;
  /** W3C Trace Context of a traced call; absent otherwise. */
  traceparent?: string;
  tracestate?: string;
}

/** Keeps messages far below the size limit of the receiver, however large the frames are. */
const maxFramesAMessage = 128;
const maxBytesAMessage = 1024 * 1024;

/**
 * Collects the frames of one turn of the event loop and writes them as one message. While the
 * transport reports a full buffer, frames wait here; the queue is bounded by the callers' limits on
 * calls in flight.
 */
export class FrameQueue {
  readonly #write: (frames: Frames) => boolean;
  #waiting: Frame[] = [];
  #scheduled = false;
  #full = false;

  constructor(write: (frames: Frames) => boolean) {
    this.#write = write;
  }

  push(frame: Frame): void {
    this.#waiting.push(frame);
    if (this.#scheduled || this.#full) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }

  flush(): void {
    this.#scheduled = false;
    while (this.#waiting.length > 0 && !this.#full) {
      const frames = this.#waiting.splice(0, fitting(this.#waiting));
      this.#full = !this.#write({ frames });
    }
  }

  resume(): void {
    this.#full = false;
    this.flush();
  }
}

/** How many of the first frames fit into one message; a frame too large for any is sent alone. */
function fitting(waiting: readonly Frame[]): number {
  const most = Math.min(waiting.length, maxFramesAMessage);
  let bytes = 0;
  for (let count = 0; count < most; count += 1) {
    const { payload, fault } = waiting[count] ?? {};
    bytes += (payload?.length ?? 0) + (fault?.length ?? 0);
    if (bytes > maxBytesAMessage) return Math.max(1, count);
  }
  return most;
}
