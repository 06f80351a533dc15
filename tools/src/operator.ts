import { readDevFile } from './dev-file.js';
import { type OperatorRequest, operatorCalls, requestOf } from './operator-calls.js';
import { Failure, messageOf } from './screen.js';

const usage =
  'npm run -s operator -- <call> [name=value]...\n' +
  `Calls: ${Object.keys(operatorCalls).join(', ')}.\n` +
  'Ids of the path are named id and environment; lists have commas, objects are JSON.\n' +
  'The gateway is that of INTERNAL_URL and ADMIN_KEY, or that of the local run.';

const timeoutMs = 30_000;

/** One call of the operator API: prints the answer, or fails with the refusal. */
export async function main(args: readonly string[]): Promise<void> {
  const request = requested(args);
  const { ok, status, text } = await send(request, usable(gateway()));
  if (!ok) throw new Failure(`The gateway answered ${status}.`, readable(text));
  if (text) await print(`${readable(text)}\n`);
}

function requested([name = '', ...fields]: readonly string[]): OperatorRequest {
  const call = Object.hasOwn(operatorCalls, name) ? operatorCalls[name] : undefined;
  if (!call) throw new Failure(name ? 'There is no such call.' : 'It takes a call.', usage);
  try {
    return requestOf(call, new Map(fields.map(pair)));
  } catch (error) {
    throw new Failure(messageOf(error), usage);
  }
}

function pair(field: string): [name: string, value: string] {
  const at = field.indexOf('=');
  if (at < 1) throw new Error('Every argument after the call is name=value.');
  return [field.slice(0, at), field.slice(at + 1)];
}

interface Gateway {
  internalUrl: string;
  adminKey: string;
}

/** The key is not taken from the arguments, because process listings would show it. */
function gateway(): Gateway {
  const { INTERNAL_URL: internalUrl, ADMIN_KEY: adminKey } = process.env;
  if (adminKey) return { internalUrl: internalUrl || 'http://127.0.0.1:8081', adminKey };
  if (internalUrl) throw new Failure('ADMIN_KEY is not set.', 'Set it to the key of that gateway.');
  const local = readDevFile();
  if (!local) throw new Failure('No gateway is named, and none runs here.', usage);
  return { internalUrl: local.internal_url, adminKey: local.admin_key };
}

/** Neither value is repeated where it is refused: both may have a secret. */
function usable({ internalUrl, adminKey }: Gateway): Gateway {
  const url = URL.canParse(internalUrl) ? new URL(internalUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    const advice = 'It begins with http:// or https://, and has no user and no password.';
    throw new Failure('INTERNAL_URL is not the address of a gateway.', advice);
  }
  if (!/^[\x20-\x7e]+$/.test(adminKey.trim())) {
    throw new Failure('ADMIN_KEY cannot be sent.', 'It is one line of visible ASCII.');
  }
  return { internalUrl: internalUrl.replace(/\/+$/, ''), adminKey };
}

interface Answer {
  ok: boolean;
  status: number;
  text: string;
}

async function send(
  { method, path, body }: OperatorRequest,
  { internalUrl, adminKey }: Gateway,
): Promise<Answer> {
  const headers = { 'x-admin-key': adminKey, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(timeoutMs);
  // Followed, a redirect would take the key to another host, and make a GET of a POST.
  const init = { method, headers, signal, redirect: 'manual' } as const;
  try {
    const response = await fetch(`${internalUrl}/internal/v1${path}`, {
      ...init,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    throw new Failure(`The gateway at ${internalUrl} does not answer.`, messageOf(error));
  }
}

/** Until all is written: the end of the process would cut what a pipe has not taken yet. */
async function print(text: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      process.stdout.once('error', reject);
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    throw new Failure('The call was made, but its answer not printed.', messageOf(error));
  }
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
