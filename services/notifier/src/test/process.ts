import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type NotifierDefinition, notifierService } from '@countersign/proto/notifier';
import { createGrpcClient, type GrpcClient } from '@countersign/runtime/grpc-client';
import { Metrics } from '@countersign/runtime/metrics';

export interface NotifierProcess {
  call: GrpcClient<NotifierDefinition>['call'];
  child: ChildProcess;
  close(): void;
  /** SIGTERM, and its exit code. */
  end(): Promise<number | null>;
}

/** The service as a process of its own, as it is deployed. */
export async function startProcess(env: Record<string, string>): Promise<NotifierProcess> {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const client = createGrpcClient({
    service: notifierService as NotifierDefinition & typeof notifierService,
    address: `127.0.0.1:${await grpcPort(child)}`,
    metrics: new Metrics('test'),
  });
  const close = () => client.close();
  const end = async (): Promise<number | null> => {
    close();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await exited;
    return code;
  };
  return { call: client.call, child, close, end };
}

export async function killHard({ child, close }: NotifierProcess): Promise<void> {
  close();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function grpcPort(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const { grpcPort: port } = JSON.parse(line) as { grpcPort?: number };
    if (port) {
      child.stdout.resume();
      return port;
    }
  }
  throw new Error('the process ended before it was up');
}
