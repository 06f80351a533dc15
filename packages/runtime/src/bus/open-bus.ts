import { type Bus, createBus } from '../bus.js';
import type { Lifecycle } from '../lifecycle.js';
import type { natsSetting } from '../process-settings.js';
import { type Settings, SettingsError } from '../settings.js';
import type { BusOptions } from './options.js';

type Parts = Pick<BusOptions, 'service' | 'log' | 'metrics' | 'tracer'> & { lifecycle: Lifecycle };

/** The bus of the settings, closed on shutdown. */
export function openBus(config: Settings<typeof natsSetting>, { lifecycle, ...parts }: Parts): Bus {
  // One without the other would be left out without a word.
  if ((config.natsCertFile === null) !== (config.natsKeyFile === null)) {
    throw new SettingsError(['NATS_CERT_FILE and NATS_KEY_FILE must be set together']);
  }
  const bus = createBus({
    ...parts,
    url: config.natsUrl,
    namespace: config.namespace,
    credentialsFile: config.natsCredentialsFile,
    certFile: config.natsCertFile,
    keyFile: config.natsKeyFile,
    jetStreamDomain: config.natsJetStreamDomain,
    streamReplicas: config.natsStreamReplicas,
  });
  lifecycle.onShutdown('bus', () => bus.close());
  return bus;
}
