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

  /** Called after a publish was acknowledged, which shows that the stream exists. */
  saw(names: BusNames): void {
    this.#seen.add(names.stream);
  }

  async ensure(manager: JetStreamManager, names: BusNames): Promise<void> {
    if (!(await exists(manager, names))) {
      if (this.#seen.has(names.stream)) await pause(madeAgainAfterMs);
      await create(manager, names);
    }
    this.saw(names);
  }
}

/** The server may refuse all but one of those who create a stream at the same moment. */
async function create(manager: JetStreamManager, names: BusNames): Promise<void> {
  try {
    await manager.streams.add({
      name: names.stream,
      subjects: [names.subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(week),
      duplicate_window: nanos(120_000),
    });
  } catch (error) {
    if (!(await exists(manager, names))) throw error;
  }
}

async function exists(manager: JetStreamManager, { stream }: BusNames): Promise<boolean> {
  try {
    await manager.streams.info(stream);
    return true;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return false;
    throw error;
  }
}
