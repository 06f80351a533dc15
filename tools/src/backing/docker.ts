import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { Failure, messageOf, timed } from '../screen.js';
import { passwordOf } from './postgres.js';
import type { Launch, ServerKind, Site } from './server-kind.js';

const run = promisify(execFile);
const answerDeadlineMs = 5_000;
const pullDeadlineMs = 600_000;

/**
 * How to run the server in a container that is removed when it ends; null if Docker is not running.
 */
export async function launchInDocker(kind: ServerKind, site: Site): Promise<Launch | null> {
  try {
    await run('docker', ['info'], { timeout: answerDeadlineMs });
  } catch {
    return null;
  }
  await fetchImage(kind);
  const { options, args, port, url } = kind.launchInDocker(site);
  const name = containerName(kind, site);
  // A container left by a run that was killed would block the name and the data.
  await run('docker', ['rm', '--force', name], { timeout: answerDeadlineMs }).catch(() => {});
  const publish = ['--publish', `127.0.0.1:${site.port}:${port}`];
  return {
    // In the foreground, so that signals and the exit of the server pass through the client.
    command: 'docker',
    args: ['run', '--rm', '--name', name, ...publish, ...options, kind.dockerImage, ...args],
    env: kind.name === 'postgres' ? { POSTGRES_PASSWORD: passwordOf(site.home) } : {},
    url,
  };
}

async function fetchImage({ dockerImage: image, advice }: ServerKind): Promise<void> {
  const has = run('docker', ['image', 'inspect', image], { timeout: answerDeadlineMs });
  if (await has.then(Boolean, () => false)) return;
  await timed(`fetched the image ${image}`, () =>
    run('docker', ['pull', '--quiet', image], { timeout: pullDeadlineMs }),
  ).catch((error) => {
    throw new Failure(`The image ${image} could not be fetched: ${messageOf(error)}`, advice);
  });
}

function containerName(kind: ServerKind, site: Site): string {
  const key = createHash('sha256').update(site.home.folder).digest('hex').slice(0, 12);
  return `countersign-${kind.name}-${key}`;
}
