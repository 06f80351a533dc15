import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type NotifierDefinition, notifierService } from '@countersign/proto/notifier';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient, type GrpcClient } from '@countersign/runtime/grpc-client';
import { Metrics } from '@countersign/runtime/metrics';
import { until } from '@countersign/runtime/testing';

interface NotifierProcess {
  call: GrpcClient<NotifierDefinition>['call'];
  child: ChildProcess;
  /** Everything logged so far. */
  output(): string;
  close(): void;
  /** Sends SIGTERM; resolves to the exit code. */
  end(): Promise<number | null>;
}

/** The service as a separate process, as it is deployed. */
export async function startProcess(env: Record<string, string>): Promise<NotifierProcess> {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let logged = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    logged += chunk.toString();
  });
  const client = createGrpcClient({
    transport: inTheClear,
    service: notifierService as NotifierDefinition & typeof notifierService,
    address: `127.0.0.1:${await grpcPort(child, () => logged)}`,
    metrics: new Metrics('test'),
  });
  const close = () => client.close();
  const end = async (): Promise<number | null> => {
    close();
    // Later than `exit`: the last lines of its log may still be in the pipe by then.
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  return { call: client.call, child, output: () => logged, close, end };
}

export async function killHard({ child, close }: NotifierProcess): Promise<void> {
  close();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function grpcPort(child: ChildProcess, output: () => string): Promise<number> {
  return until(
    () => {
      if (child.exitCode !== null) throw new Error(`ended before it was up: ${output()}`);
      return Number(/"grpcPort":(\d+)/.exec(output())?.[1] ?? 0);
    },
    { timeoutMs: 90_000, what: 'the notifier to listen' },
  );
}
