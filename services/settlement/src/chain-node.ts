import { type HttpTransport, http } from 'viem';
import type { ChainSettings } from './chain-settings.js';

/** The nodes serve a chain other than the configured one. */
class ChainIdMismatch extends Error {
  constructor(settings: ChainSettings, actual: number) {
    super(`${settings.name} is chain ${settings.chainId}, but its nodes serve chain ${actual}`);
    this.name = 'ChainIdMismatch';
  }
}

/**
 * The node failed. The message names the chain and the kind of failure but not the request,
 * because the URL of a node often contains an API key.
 */
class ChainUnavailable extends Error {
  constructor({ name }: ChainSettings, failure: unknown) {
    const { name: kind, status, code } = failure as Record<string, unknown>;
    super(`${name} is unavailable: ${[kind, status, code].filter(Boolean).join(' ')}`);
    this.name = 'ChainUnavailable';
  }
}

/** A response without a result. That differs from the result null, which means "not found". */
class NoResult extends Error {
  constructor() {
    super('the response has no result');
    this.name = 'NoResult';
  }
}

/**
 * A receipt of a few thousand transfers. JSON of the 10 MB that the library allows can be nested so
 * deeply that parsing it takes seconds and most of a gigabyte.
 */
const maxResponseBytes = 2 * 1024 * 1024;

/**
 * A node whose chain id is verified before its first request. Each node is verified by itself: one
 * of another chain must not be used when the others fail.
 */
export function chainNode(
  url: string,
  { settings, timeoutMs }: { settings: ChainSettings; timeoutMs: number },
): HttpTransport {
  const connect = http(url, {
    retryCount: 0,
    // The timeout of the client library ends with the headers of the response, this with its body.
    timeout: 0,
    maxResponseBodySize: maxResponseBytes,
    // Not followed, and so a failure: a node could lead requests into the network of the service.
    fetchFn: (input, init) =>
      fetch(input, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }),
  });
  let isVerified = false;
  return (options) => {
    const node = connect(options);
    const answered: typeof node.request = async (args) => given(await node.request(args));
    const request: typeof node.request = async (args) => {
      if (!isVerified) {
        const actual = Number(await answered({ method: 'eth_chainId' }));
        if (actual !== settings.chainId) throw new ChainIdMismatch(settings, actual);
        isVerified = true;
      }
      return answered(args);
    };
    return { ...node, request };
  };
}

function given<T>(result: T): T {
  if (result === undefined) throw new NoResult();
  return result;
}

const absentErrors: ReadonlySet<string> = new Set([
  'TransactionNotFoundError',
  'TransactionReceiptNotFoundError',
  'BlockNotFoundError',
]);

/** Null if the node reports "not found"; all other errors are failures of the nodes. */
export async function nullIfAbsent<T>(
  request: Promise<T>,
  settings: ChainSettings,
): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Error && absentErrors.has(error.name)) return null;
    throw error instanceof ChainIdMismatch ? error : new ChainUnavailable(settings, error);
  }
}
