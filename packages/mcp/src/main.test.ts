import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';

const program = fileURLToPath(new URL('./main.js', import.meta.url));
const env = {
  COUNTERSIGN_URL: 'http://127.0.0.1:9',
  COUNTERSIGN_API_KEY: 'svc_test_key',
  COUNTERSIGN_AGENT_ID: 'agt_1',
};

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** What the server says on standard error about these lines, and how it ends. */
async function served(...lines: string[]) {
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  for (const line of lines) child.stdin.write(`${line}\n`);
  child.stdin.end();
  return ended(child);
}

async function ended(child: ChildProcessByStdio<Writable, Readable | null, Readable>) {
  // A server that has ended does not read the rest.
  child.stdin.on('error', () => {});
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  return { said, code };
}

test('what the server cannot read is reported where humans see it', async (t) => {
  const { said, code } = await served('not JSON', ping);
  t.match(said, /countersign-mcp: a message was not understood: /);
  t.equal(code, 0);
});

test('a message that is too long ends the server with a reason', async (t) => {
  const { said, code } = await served(`{"jsonrpc":"2.0","id":1,"x":"${'x'.repeat(11_000_000)}"}`);
  t.match(said, /countersign-mcp: .*exceeded maximum size/);
  t.equal(code, 1);
});

test('a host that reads no more ends the server with a reason', async (t) => {
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.destroy();
  child.stdin.write(`${ping}\n`);
  const { said, code } = await ended(child);
  t.match(said, /countersign-mcp: the answers are not read any more: /);
  t.notMatch(said, /\n *at /, 'no stack trace');
  t.equal(code, 1);
});
