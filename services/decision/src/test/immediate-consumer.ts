import { ProfileConsumer, type ProfileConsumerOptions } from '../profile/consumer.js';

type Parts = Pick<ProfileConsumerOptions, 'pool' | 'cache'> &
  Partial<Pick<ProfileConsumerOptions, 'onAnnounced'>>;

/** Learns what is handed to it within one turn of the event loop without waiting for more. */
export function immediateConsumer(parts: Parts): ProfileConsumer {
  return new ProfileConsumer({ onAnnounced: () => {}, ...parts, everyMs: 0, holdMs: 0 });
}
