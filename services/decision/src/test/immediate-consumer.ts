import { type ProfileOptions, profileConsumer } from '../profile/consumer.js';

type Parts = Pick<ProfileOptions, 'pool' | 'cache'> & Partial<Pick<ProfileOptions, 'onAnnounced'>>;

/** Learns what is handed to it within one turn of the event loop without waiting for more. */
export function immediateConsumer(parts: Parts): ReturnType<typeof profileConsumer> {
  return profileConsumer({ onAnnounced: () => {}, ...parts, everyMs: 0, holdMs: 0 });
}
