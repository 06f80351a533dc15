import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { until } from '@countersign/runtime/testing';

interface EvmNode {
  url: string;
  /** Funded accounts whose keys the node holds. */
  accounts: string[];
  rpc<T>(method: string, params?: unknown[]): Promise<T>;
  /** Returns the address of a new token contract. */
  deployToken(): Promise<string>;
  /**
   * Sends a transfer of base units and returns its hash, after it is mined if automine is on. A
   * transfer of zero reverts.
   */
  transfer(transfer: { token: string; from: string; to: string; value: bigint }): Promise<string>;
  mine(blocks?: number): Promise<void>;
  /** Mines until the transaction is in a block, which is then the head. */
  include(hash: string): Promise<void>;
  /** If off, transactions are not mined until `mine` or `include`. */
  automine(on: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A real EVM node on a free port. */
export async function startEvmNode(): Promise<EvmNode> {
  const child = spawn(binary(), ['--port', '0', '--order', 'fifo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = await listening(child);
  let id = 0;
  const rpc = async <T>(method: string, params: unknown[] = []): Promise<T> => {
    id += 1;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: unknown };
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const accounts = await rpc<string[]>('eth_accounts');
  let automining = true;
  const receiptOf = (hash: string) =>
    rpc<{ contractAddress: string } | null>('eth_getTransactionReceipt', [hash]);
  const send = async (transaction: object): Promise<string> => {
    const hash = await rpc<string>('eth_sendTransaction', [{ gas: '0x30000', ...transaction }]);
    // The node responds before it mines the transaction.
    if (automining) await until(() => receiptOf(hash));
    return hash;
  };
  return {
    url,
    accounts,
    rpc,
    async deployToken() {
      const hash = await send({ from: accounts[0], data: tokenCode });
      return (await until(() => receiptOf(hash))).contractAddress;
    },
    transfer: ({ token, from, to, value }) =>
      send({ from, to: token, data: `0xa9059cbb${word(BigInt(to))}${word(value)}` }),
    mine: async (blocks = 1) => {
      await rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
    },
    include: async (hash) => {
      // A block that is mined right after a transaction was sent may not include it.
      await until(async () => {
        await rpc('anvil_mine', ['0x1']);
        return receiptOf(hash);
      });
    },
    automine: async (on) => {
      automining = on;
      await rpc('evm_setAutomine', [on]);
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function binary(): string {
  const require = createRequire(import.meta.url);
  const npm = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  return join(dirname(npm.resolve(`${name}/package.json`)), 'bin', 'anvil');
}

async function listening(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const address = () => {
    if (child.exitCode !== null) throw new Error(`ended before it listened: ${output}`);
    return /Listening on (\S+)/.exec(output)?.[1];
  };
  return `http://${await until(address, { timeoutMs: 90_000, what: 'an EVM node' })}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * A minimal token contract in hand-assembled bytecode: emits Transfer(caller, to, value) and
 * returns true, or reverts if the value is zero. It keeps no balances.
 */
const runtimeCode = [
  '602435', // value = calldata[0x24]
  '8015603f57', // zero: revert
  '600052', // memory[0] = value
  '600435', // to = calldata[4]
  '33', // caller
  `7f${transferTopic}`,
  '60206000a3', // log3(memory[0..32], topic, caller, to)
  '6001600052', // memory[0] = 1
  '60206000f3', // return it
  '5b60006000fd', // revert
].join('');

const tokenCode = `0x6045600c60003960456000f3${runtimeCode}`;
