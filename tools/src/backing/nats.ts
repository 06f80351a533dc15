import { join } from 'node:path';
import { probe } from './probe.js';
import { makeServerFolder } from './server-home.js';
import type { ServerKind } from './server-kind.js';

/**
 * NATS has a small heap and large messages: with Go's default of 100 it would collect garbage all
 * the time.
 */
const goCollector = { GOGC: '400' };
const defaultPort = 4222;

export const nats: ServerKind = {
  name: 'nats',
  title: 'NATS',
  variable: 'NATS_URL',
  binaries: ['nats-server'],
  debianPackage: 'nats-server',
  dockerImage: 'nats:2.11-alpine',
  advice:
    'Install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server), ' +
    'or start Docker, or set NATS_URL to a server with JetStream, ' +
    'for example nats://127.0.0.1:4222.',
  stopSignal: 'SIGTERM',

  launch: async (program, { home, port }) => {
    const folder = join(home.folder, 'nats');
    makeServerFolder(home, folder);
    const place = ['--addr', '127.0.0.1', '--port', String(port), '--store_dir', folder];
    return {
      command: program.path,
      args: [...place, '--jetstream'],
      env: { ...program.env, ...goCollector },
      url: `nats://127.0.0.1:${port}`,
    };
  },

  launchInDocker: ({ home, port, durable }) => ({
    options: [
      ...['--env', `GOGC=${goCollector.GOGC}`],
      ...(durable ? ['--volume', `${join(home.folder, 'nats')}:/data`] : []),
    ],
    args: ['--jetstream', '--store_dir', '/data'],
    port: defaultPort,
    url: `nats://127.0.0.1:${port}`,
  }),

  answers: (url) => probe(firstOf(url), { expect: 'INFO', port: defaultPort }),
};

/** NATS_URL may name several servers of one cluster. */
function firstOf(urls: string): string {
  const first = urls.split(',')[0] ?? '';
  return first.includes('://') ? first : `nats://${first}`;
}
