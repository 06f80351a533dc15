import { connect } from 'nats';

const readsAtOnce = 64;

/**
 * The events that a stream of the bus holds, oldest first, each as JSON text. An installation's
 * stream is named after its NAMESPACE, which the test has to choose.
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
        Array.from({ length: size }, (_, n) =>
          manager.streams.getMessage(stream, { seq: seq + n }),
        ),
      );
      for (const message of some) payloads.push(...eventsIn(message.string()));
    }
    return payloads;
  } finally {
    await nats.close();
  }
}

/** What a new disk would mean: no stream, hence no message and no consumer of one. */
export async function wipeBus(natsUrl: string): Promise<void> {
  const nats = await connect({ servers: natsUrl, name: 'checker' });
  const manager = await nats.jetstreamManager();
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name);
  await nats.close();
}

/** A message is one event or a list of them. */
function eventsIn(text: string): string[] {
  const content = JSON.parse(text) as unknown;
  return Array.isArray(content) ? content.map((event) => JSON.stringify(event)) : [text];
}
