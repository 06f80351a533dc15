import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@countersign/kernel/environment';
import type { BusTopic } from '@countersign/kernel/event';
import {
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from 'nats';

const week = 7 * 24 * 3_600_000;

export interface BusNames {
  stream: string;
  subjects: string;
  subject(topic: BusTopic): string;
}

/**
 * The environment is part of every name, so that live and sandbox never read each other's events.
 */
export function busNames(namespace: string, environment: Environment): BusNames {
  return {
    stream: `${namespace}_${environment}`.toUpperCase(),
    subjects: `${namespace}.${environment}.>`,
    subject: (topic) => `${namespace}.${environment}.${topic}`,
  };
}

/**
 * Delay before a deleted stream is created again. The server frees the name of a deleted stream
 * before it has removed its files, and the removal would also take the files of a new stream with
 * that name: that stream would acknowledge messages that it cannot read back.
 */
const madeAgainAfterMs = 1_000;

/** Creates the streams of an installation if the bus does not have them. */
export class StreamKeeper {
  readonly #seen = new Set<string>();
  readonly #replicas: number;

  constructor(replicas = 1) {
    this.#replicas = replicas;
  }

  /** Called after a publish was acknowledged, which shows that the stream exists. */
  saw(names: BusNames): void {
    this.#seen.add(names.stream);
  }

  /** Returns when the stream was created, in epoch milliseconds by the clock of the bus. */
  async ensure(manager: JetStreamManager, names: BusNames): Promise<number> {
    let stream = await find(manager, names);
    if (!stream) {
      if (this.#seen.has(names.stream)) await pause(madeAgainAfterMs);
      stream = await create(manager, names, this.#replicas);
    }
    this.saw(names);
    return Date.parse(stream.created);
  }
}

/** The server may refuse all but one of those who create a stream at the same moment. */
async function create(
  manager: JetStreamManager,
  names: BusNames,
  replicas: number,
): Promise<StreamInfo> {
  try {
    return await manager.streams.add({
      name: names.stream,
      subjects: [names.subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(week),
      duplicate_window: nanos(120_000),
      num_replicas: replicas,
    });
  } catch (error) {
    const stream = await find(manager, names);
    if (!stream) throw error;
    return stream;
  }
}

async function find(manager: JetStreamManager, { stream }: BusNames): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return null;
    throw error;
  }
}
