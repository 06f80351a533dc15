import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger } from 'pino';

export interface LogOptions {
  service: string;
  level: string;
}

/**
 * Values under these keys are secrets. They are not written where a line or an object up to two
 * levels below it has such a key, spelt exactly so, as in the headers of Node.js. To look deeper
 * costs every line more than it is worth: requests, headers and bodies are not logged as a whole.
 */
const secretKeys = [
  'authorization',
  'api_key',
  'apiKey',
  'x-api-key',
  'x-admin-key',
  'client_secret',
  'clientSecret',
  'password',
  'secret',
  'signing_secret',
  'signingSecret',
  'access_token',
  'code',
  'token',
];

/**
 * Lines are buffered and written together, since a write of its own costs more than making a line.
 * They wait at most `maxWaitMs`, and are flushed when the process exits, unless it is killed.
 */
const output = {
  contentMode: 'buffer',
  minLength: 16_000,
  /** While whoever reads the lines does not, those beyond are left out, and counted. */
  maxLength: 16_000_000,
  sync: false,
} as const;
const maxWaitMs = 100;

/** JSON lines on standard output, one logger a process; children add the request id. */
export function createLog(options: LogOptions): Logger {
  const destination = pino.destination({ fd: process.stdout.fd, ...output });
  const log = pino(logOptions(options), linesTo(destination));
  let dropped = 0;
  destination.on('drop', () => {
    dropped += 1;
  });
  destination.on('drain', () => {
    if (dropped > 0) log.warn({ dropped }, 'log lines were left out, as nobody read them in time');
    dropped = 0;
  });
  return log;
}

type Destination = ReturnType<typeof pino.destination>;

/**
 * A destination that takes bytes: given strings, the library would concatenate its whole buffer
 * with each line to measure it. Flushed by a timer of our own, set only while lines wait: the
 * library's would wake two threads ten times a second also when there is nothing to write.
 */
function linesTo(destination: Destination): DestinationStream & { flushSync(): void } {
  const takesBytes = destination as unknown as { write(bytes: Buffer): boolean };
  let waiting = false;
  const flushSoon = (): void => {
    waiting = true;
    const flush = (): void => {
      waiting = false;
      destination.flush();
    };
    setTimeout(flush, maxWaitMs).unref();
  };
  return {
    write: (line) => {
      takesBytes.write(Buffer.from(line));
      if (!waiting) flushSoon();
    },
    flushSync: () => destination.flushSync(),
  };
}

export function logOptions(options: LogOptions): LoggerOptions {
  return {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: secretKeys.flatMap((key) => [quoted(key), `*${quoted(key)}`, `*.*${quoted(key)}`]),
      censor: '[redacted]',
    },
    serializers: { err: (error: unknown) => serializeError(error) },
  };
}

function quoted(key: string): string {
  return `["${key}"]`;
}

interface Told {
  code?: unknown;
  internal?: unknown;
  /** Of JetStream, whose client has only the number as its message: no room, no such account. */
  api_error?: { description?: string };
}

/** Name, message, code and stack, along the chain of causes; never the arguments of a statement. */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, internal, api_error: told } = error as Told;
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { fault: code }),
    ...(internal !== undefined && { internal }),
    ...(told?.description && { told: told.description }),
    stack: error.stack,
    ...(error.cause !== undefined &&
      depth < 4 && { cause: serializeError(error.cause, depth + 1) }),
  };
}
