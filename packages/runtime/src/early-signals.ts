import { constants } from 'node:os';

/**
 * Imported by Node.js before the modules of a service, which take a while. As the first process of
 * a container it ignores a signal to end that nobody listens to; so this does what the signal does
 * elsewhere, while nobody else listens.
 */
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.on(name, () => {
    if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]);
  });
}
