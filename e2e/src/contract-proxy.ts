import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@countersign/runtime/testing';
import { type Stack, type StackOptions, startStack } from '@countersign/tools/stack';

const readyDeadlineMs = 60_000;

/**
 * An installation to test. With CONTRACT_PROXY=1 its public address is a proxy that holds every
 * answer against the OpenAPI document the installation itself serves, and turns what is not in the
 * contract into an error: so the whole suite then also proves the document.
 */
export async function startInstallation(options?: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  if (process.env.CONTRACT_PROXY !== '1') return stack;
  const proxy = await startContractProxy(stack.baseUrl);
  return {
    ...stack,
    baseUrl: proxy.url,
    stop: async () => {
      await proxy.stop();
      await stack.stop();
    },
  };
}

async function startContractProxy(
  upstream: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  const document = join(folder, 'openapi.json');
  const served = await fetch(`${upstream}/api/v1/openapi.json`);
  await writeFile(document, await served.text());
  const port = await freePort();
  const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');
  // Requests are not validated: that the product refuses bad ones is what the suite tests.
  const flags = ['--errors', '--validate-request', 'false', '--port', String(port)];
  const child = spawn(process.execPath, [prism, 'proxy', document, upstream, ...flags], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() => answers(url), { timeoutMs: readyDeadlineMs, what: 'the contract proxy' });
  return {
    url,
    stop: async () => {
      await ended(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/v1/health/live`)).ok;
  } catch {
    return false;
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
