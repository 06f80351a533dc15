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
 * An installation to test. With CONTRACT_PROXY=1 its public address is a proxy that validates every
 * response against the OpenAPI document that the installation serves, and turns violations into
 * errors: a third-party check in addition to our own in `api`.
 */
export async function startInstallation(options: StackOptions = {}): Promise<Stack> {
  if (process.env.CONTRACT_PROXY !== '1') return startStack(options);
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const stack = await startStack({ ...options, env: { ...options.env, BASE_URL: baseUrl } });
  const proxy = await startContractProxy(stack.baseUrl, port);
  return {
    ...stack,
    baseUrl,
    stop: async () => {
      await proxy.stop();
      await stack.stop();
    },
  };
}

async function startContractProxy(
  upstream: string,
  port: number,
): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(withoutSecurity(await servedBy(upstream))));
  const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');
  // Requests are not validated, because the suite tests that the product refuses bad ones.
  const flags = ['--errors', '--validate-request', 'false', '--port', String(port)];
  const child = spawn(process.execPath, [prism, 'proxy', file, upstream, ...flags], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() => answers(url), { timeoutMs: readyDeadlineMs, what: 'the contract proxy' });
  return {
    stop: async () => {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Document {
  paths: Record<string, Record<string, { security?: unknown }>>;
}

async function servedBy(upstream: string): Promise<Document> {
  const answer = await fetch(`${upstream}/api/v1/openapi.json`);
  return (await answer.json()) as Document;
}

/** Otherwise the proxy itself would refuse requests without a credential. */
function withoutSecurity(document: Document): Document {
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) delete operation.security;
  }
  return document;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/v1/health/live`)).ok;
  } catch {
    return false;
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
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
