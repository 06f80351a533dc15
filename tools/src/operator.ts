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
  const { internalUrl, adminKey } = gateway();
  const response = await send(request, { internalUrl, adminKey });
  const text = await response.text();
  if (!response.ok) throw new Failure(`The gateway answered ${response.status}.`, readable(text));
  if (text) process.stdout.write(`${readable(text)}\n`);
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

async function send(
  { method, path, body }: OperatorRequest,
  { internalUrl, adminKey }: Gateway,
): Promise<Response> {
  const headers = { 'x-admin-key': adminKey, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(timeoutMs);
  const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
  try {
    return await fetch(`${internalUrl}/internal/v1${path}`, init);
  } catch (error) {
    throw new Failure(`The gateway at ${internalUrl} does not answer.`, messageOf(error));
  }
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
