import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { inspect, promisify } from 'node:util';
import { listening } from '@countersign/runtime/testing/listening';
import { type Test, test } from 'tap';
import { encodeEventTopics, erc20Abi } from 'viem';
import { openChain } from './chain.js';
import { readChains } from './chain-settings.js';

const run = promisify(execFile);

function chainOf(rpcUrls: string[]) {
  const [settings] = readChains([
    {
      ...{ name: 'far-local', chain_id: 1, rpc_urls: rpcUrls },
      assets: { USDC: { contract: `0x${'1'.repeat(40)}`, decimals: 6 } },
    },
  ]);
  if (!settings) throw new Error('no chain');
  return openChain(settings, 2_000);
}

interface ServedChain {
  chainId: number;
  head: number;
  /** The hash of the only block it has. */
  block?: string | null;
  /** Results of further methods. */
  results?: Record<string, unknown>;
}

/**
 * A node that serves this chain and has this head. With `state.isDown` its requests fail, with
 * `state.isStuck` they are never answered, with `state.isHalting` their answers never end, and with
 * `state.leadsTo` they are redirected there.
 */
async function startNode(t: Test, { chainId, head, block = null, results = {} }: ServedChain) {
  const state = { isDown: false, isStuck: false, isHalting: false, leadsTo: '', url: '' };
  const server = createServer(async (request, response) => {
    const { id, method } = await asked(request);
    if (state.isStuck) return;
    if (state.isDown) return void response.writeHead(503).end();
    if (state.leadsTo) return void response.writeHead(307, { location: state.leadsTo }).end();
    const value = method === 'eth_chainId' ? chainId : head;
    const found = block === null ? null : { number: '0x5', hash: block, timestamp: '0x6553f100' };
    const other = method === 'eth_getBlockByNumber' ? found : `0x${value.toString(16)}`;
    const result = method in results ? results[method] : other;
    const body = { jsonrpc: '2.0', id, result };
    response.writeHead(200, { 'content-type': 'application/json' });
    send(response, JSON.stringify(body), state);
  });
  const { port, close } = await listening(server);
  t.teardown(close);
  state.url = `http://127.0.0.1:${port}`;
  return state;
}

async function asked(request: IncomingMessage): Promise<{ id: number; method: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function send(response: ServerResponse, text: string, { isHalting }: { isHalting: boolean }): void {
  if (isHalting) response.write(text.slice(0, 1));
  else response.end(text);
}

test('the error of a failed node names its chain and not its URL', async (t) => {
  const error = await chainOf(['http://127.0.0.1:1/v3/key-in-the-path'])
    .head()
    .catch((failure: Error) => failure);
  t.match(error, { name: 'ChainUnavailable', message: /^far-local is unavailable: Http/ });
  t.notMatch(inspect(error, { depth: 9 }), /key-in-the-path/);
});

test('a node of another chain is never used, whichever of the nodes it is', async (t) => {
  const node = await startNode(t, { chainId: 1, head: 7 });
  const foreign = await startNode(t, { chainId: 2, head: 9_000 });
  t.equal(await chainOf([foreign.url, node.url]).head(), 7n, 'before the right one');
  const chain = chainOf([node.url, foreign.url]);
  t.equal(await chain.head(), 7n);
  node.isDown = true;
  const mismatch = {
    name: 'ChainIdMismatch',
    message: 'far-local is chain 1, but its nodes serve chain 2',
  };
  await t.rejects(chain.head(), mismatch, 'while the right one is down');
  node.isDown = false;
  t.equal(await chain.head(), 7n);
});

test('a block of the chain has a hash', async (t) => {
  const node = await startNode(t, { chainId: 1, head: 7, block: '0xaa' });
  t.equal(await chainOf([node.url]).hashAt(5n), '0xaa');
  const shorter = await startNode(t, { chainId: 1, head: 3 });
  t.equal(await chainOf([shorter.url]).hashAt(5n), null, 'there is none');
});

const hash = `0x${'a'.repeat(64)}` as const;

test('until when a transaction is absent, a node says that has looked itself', async (t) => {
  const results = { eth_getTransactionByHash: null };
  const node = await startNode(t, { chainId: 1, head: 7, block: '0xaa', results });
  const behind = await startNode(t, { chainId: 1, head: 3, results });
  const absentUntil = (nodes: Array<{ url: string }>) =>
    chainOf(nodes.map(({ url }) => url)).absentUntil(hash, 5n);
  t.same(await absentUntil([node]), new Date('2023-11-14T22:13:20Z'), 'the time of the chain');
  t.equal(await absentUntil([behind]), null, 'it lacks the block');
  // As under a rate limit: it has the block, and then the other one is asked.
  const limited = { eth_getTransactionByHash: undefined };
  const busy = await startNode(t, { chainId: 1, head: 7, block: '0xaa', results: limited });
  t.equal(await absentUntil([busy, behind]), null);
  const mined = { eth_getTransactionByHash: { hash, blockNumber: '0x5' } };
  const found = await startNode(t, { chainId: 1, head: 7, block: '0xaa', results: mined });
  t.equal(await absentUntil([found]), null, 'it knows the transaction');
});

test('a failure of all nodes is not taken for an absent transaction or block', async (t) => {
  const node = await startNode(t, { chainId: 1, head: 7 });
  const chain = chainOf([node.url]);
  node.isDown = true;
  const asked: Record<string, () => Promise<unknown>> = {
    head: () => chain.head(),
    receipt: () => chain.receipt(hash),
    isKnown: () => chain.isKnown(hash),
    hashAt: () => chain.hashAt(5n),
    absentUntil: () => chain.absentUntil(hash, 5n),
  };
  for (const [what, ask] of Object.entries(asked)) {
    await t.rejects(ask(), { name: 'ChainUnavailable' }, what);
  }
});

test('a node that never answers is passed over', async (t) => {
  const stuck = await startNode(t, { chainId: 1, head: 7 });
  const node = await startNode(t, { chainId: 1, head: 8 });
  stuck.isStuck = true;
  t.equal(await chainOf([stuck.url, node.url]).head(), 8n);
});

test('a node that never ends its answer is passed over', async (t) => {
  const halting = await startNode(t, { chainId: 1, head: 7 });
  const node = await startNode(t, { chainId: 1, head: 8 });
  halting.isHalting = true;
  t.equal(await chainOf([halting.url, node.url]).head(), 8n);
});

test('it is passed over also where the garbage collector runs meanwhile', async (t) => {
  const halting = await startNode(t, { chainId: 1, head: 7 });
  halting.isHalting = true;
  const settings = `name: 'far-local', chainId: 1, rpcUrls: ['${halting.url}'], assets: new Map()`;
  // Of its own process, since the collector can be called only where a flag says so at the start.
  const script = `
    import { openChain } from '${new URL('./chain.js', import.meta.url).href}';
    setInterval(gc, 50);
    const head = openChain({ ${settings}, confirmations: 1 }, 1_000).head();
    head.catch(({ name }) => console.log(name)).finally(() => process.exit());`;
  const flags = ['--expose-gc', '--input-type=module', '--eval'];
  const { stdout } = await run(process.execPath, [...flags, script], { timeout: 10_000 });
  t.equal(stdout.trim(), 'ChainUnavailable');
});

test('a redirect is a failure: it may lead into the network of the service', async (t) => {
  const inside = await startNode(t, { chainId: 1, head: 9 });
  const node = await startNode(t, { chainId: 1, head: 7 });
  const chain = chainOf([node.url]);
  t.equal(await chain.head(), 7n);
  node.leadsTo = inside.url;
  await t.rejects(chain.head(), { name: 'ChainUnavailable' });
});

test('an answer that is longer than any receipt is a failure', async (t) => {
  const sized = async (bytes: number) => {
    const results = { eth_getTransactionByHash: { hash, input: '0'.repeat(bytes) } };
    return chainOf([(await startNode(t, { chainId: 1, head: 7, results })).url]);
  };
  t.equal(await (await sized(1_500_000)).isKnown(hash), true);
  await t.rejects((await sized(2_500_000)).isKnown(hash), { name: 'ChainUnavailable' });
});

test('an answer without a result is a failure, not an absent transaction', async (t) => {
  const results = { eth_getTransactionReceipt: undefined, eth_getTransactionByHash: undefined };
  const chain = chainOf([(await startNode(t, { chainId: 1, head: 7, results })).url]);
  const unavailable = { name: 'ChainUnavailable' };
  await t.rejects(chain.receipt(hash), unavailable);
  await t.rejects(chain.isKnown(hash), unavailable);
});

test('a transaction is known before it is mined', async (t) => {
  const asked = { eth_getTransactionByHash: null, eth_getTransactionReceipt: null };
  const none = chainOf([(await startNode(t, { chainId: 1, head: 7, results: asked })).url]);
  t.equal(await none.isKnown(hash), false);
  const results = { ...asked, eth_getTransactionByHash: { hash, blockNumber: null } };
  const chain = chainOf([(await startNode(t, { chainId: 1, head: 7, results })).url]);
  t.equal(await chain.isKnown(hash), true);
  t.equal(await chain.receipt(hash), null);
});

test('what a transaction transfers is read from its receipt, and nothing else', async (t) => {
  const [from, to] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;
  const address = `0x${'c'.repeat(40)}`;
  const data = `0x${'5'.padStart(64, '0')}`;
  const abi = erc20Abi;
  const logs = [
    encodeEventTopics({ abi, eventName: 'Approval', args: { owner: from, spender: to } }),
    encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }),
  ].map((topics) => ({ address, topics, data }));
  const mined = { blockNumber: '0x5', blockHash: '0xaa', logs };
  for (const [status, succeeded] of [
    ['0x1', true],
    ['0x0', false],
  ] as const) {
    const results = { eth_getTransactionReceipt: { ...mined, status } };
    const node = await startNode(t, { chainId: 1, head: 7, results });
    t.same(await chainOf([node.url]).receipt(hash), {
      succeeded,
      block: { number: 5n, hash: '0xaa' },
      transfers: [{ contract: address, from, to, value: 5n }],
    });
  }
});
