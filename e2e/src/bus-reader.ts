import { connect, type JetStreamManager, NatsError } from 'nats';
import { eventText } from './checker/event-text.js';

const readsAtOnce = 64;

/**
 * The events in a stream of the bus, oldest first, each as JSON text. The stream of an installation
 * is named after its NAMESPACE, which the test has to set.
 */
export async function readBus(
  natsUrl: string,
  { namespace, environment = 'sandbox' }: { namespace: string; environment?: string },
): Promise<string[]> {
  const nats = await connect({ servers: natsUrl, name: 'checker' });
  try {
    const stream = `${namespace}_${environment}`.toUpperCase();
    const manager = await nats.jetstreamManager();
    const { first_seq: first, last_seq: last } = (await manager.streams.info(stream)).state;
    const payloads: string[] = [];
    for (let seq = first; seq <= last; seq += readsAtOnce) {
      const size = Math.min(readsAtOnce, last - seq + 1);
      const some = await Promise.all(
        Array.from({ length: size }, (_, n) => textOf(manager, stream, seq + n)),
      );
      for (const text of some) if (text !== null) payloads.push(...eventsIn(text));
    }
    return payloads;
  } finally {
    await nats.close();
  }
}

/**
 * Null if the stream has no message with that number, which can happen after a bus was killed. The
 * checker reports missing events.
 */
async function textOf(
  manager: JetStreamManager,
  stream: string,
  seq: number,
): Promise<string | null> {
  try {
    return (await manager.streams.getMessage(stream, { seq })).string();
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return null;
    throw error;
  }
}

/** Simulates a new disk: no stream, and therefore no messages or consumers. */
export async function wipeBus(natsUrl: string): Promise<void> {
  const nats = await connect({ servers: natsUrl, name: 'checker' });
  const manager = await nats.jetstreamManager();
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name);
  await nats.close();
}

/** A message is one event or a list of events. */
function eventsIn(text: string): string[] {
  const content = JSON.parse(text) as unknown;
  return Array.isArray(content) ? content.map(eventText) : [text];
}
