import { join } from 'node:path';
import { probe } from './probe.js';
import { makeServerFolder } from './server-home.js';
import type { ServerKind } from './server-kind.js';

/** Holds only ephemeral data, so it writes nothing to disk. */
const settings = ['--save', '', '--appendonly', 'no'];
const defaultPort = 6379;
const ping = { send: 'PING\r\n', port: defaultPort };

export const redis: ServerKind = {
  name: 'redis',
  title: 'Redis',
  variable: 'REDIS_URL',
  binaries: ['redis-server', 'valkey-server'],
  debianPackage: 'redis-server',
  dockerImage: 'redis:7.2-bookworm',
  advice:
    'Install it (Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis), ' +
    'or start Docker, or set REDIS_URL to a server you have, for example redis://127.0.0.1:6379.',
  stopSignal: 'SIGTERM',

  launch: async (program, { home, port }) => {
    const folder = join(home.folder, 'redis');
    makeServerFolder(home, folder);
    const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
    return {
      command: program.path,
      args: [...place, ...settings],
      env: program.env,
      url: `redis://127.0.0.1:${port}`,
    };
  },

  launchInDocker: ({ port }) => ({
    options: [],
    args: ['redis-server', ...settings],
    port: defaultPort,
    url: `redis://127.0.0.1:${port}`,
  }),

  // A server with a password refuses the PING but is running.
  answers: async (url) =>
    url.startsWith('rediss:')
      ? probe(url, { port: defaultPort })
      : (await probe(url, { ...ping, expect: '+PONG' })) ||
        (await probe(url, { ...ping, expect: '-NOAUTH' })),
};
