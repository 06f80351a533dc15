import type { Environment } from '@countersign/kernel/environment';
import type { BusEventType } from '@countersign/kernel/event';
import { DiscardPolicy, type JetStreamManager, nanos, RetentionPolicy, StorageType } from 'nats';

const week = 7 * 24 * 3_600_000;

export interface BusNames {
  stream: string;
  subjects: string;
  subject(type: BusEventType): string;
}

/** The environment is part of every name: nothing of one is ever read by the other. */
export function busNames(namespace: string, environment: Environment): BusNames {
  return {
    stream: `${namespace}_${environment}`.toUpperCase(),
    subjects: `${namespace}.${environment}.>`,
    subject: (type) => `${namespace}.${environment}.${type}`,
  };
}

export async function ensureStream(manager: JetStreamManager, names: BusNames): Promise<void> {
  try {
    await manager.streams.info(names.stream);
  } catch {
    await manager.streams.add({
      name: names.stream,
      subjects: [names.subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(week),
      duplicate_window: nanos(120_000),
    });
  }
}
