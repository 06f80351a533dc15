import {
  addressOf,
  databaseUrlOf,
  fileOf,
  jsonOf,
  keyOf,
  pairsOf,
  type ServerForms,
  serverUrlOf,
} from './settings/value-of.js';

/**
 * Configuration is read and validated once, at start, from the environment: a process either starts
 * with valid settings or reports every problem and exits.
 */
export interface Setting<T> {
  readonly variable: string;
  readonly doc: string;
  /** Text of the default for the README; null if the setting is required. */
  readonly fallbackText: string | null;
  readonly fallback: T | undefined;
  readonly parse: (text: string) => T;
}

type Shape = Record<string, Setting<unknown>>;
export type Settings<S extends Shape> = {
  [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

interface Options<T> {
  doc: string;
  fallback?: T;
}

export class SettingsError extends Error {
  constructor(readonly problems: string[]) {
    super(`configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

function define<T>(variable: string, options: Options<T>, parse: (text: string) => T): Setting<T> {
  const { doc, fallback } = options;
  const fallbackText = 'fallback' in options ? printFallback(fallback) : null;
  return { variable, doc, fallback, fallbackText, parse };
}

function printFallback(value: unknown): string {
  if (value !== null && typeof value === 'object' && Object.keys(value).length === 0)
    return 'empty';
  if (value === null || value === undefined || value === '') return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(',');
  return String(value);
}

export const setting = {
  text: (variable: string, options: Options<string>): Setting<string> =>
    define(variable, options, (text) => text),

  /** Null when unset, for features that are enabled by being configured. */
  optional: (variable: string, options: { doc: string }): Setting<string | null> =>
    define<string | null>(variable, { ...options, fallback: null }, (text) => text || null),

  /** Path of a file whose content has the pattern; null when unset. */
  file: (variable: string, options: { doc: string; has: RegExp }): Setting<string | null> =>
    define<string | null>(variable, { ...options, fallback: null }, (text) =>
      fileOf(text, options.has),
    ),

  integer: (
    variable: string,
    options: Options<number> & { min?: number; max?: number },
  ): Setting<number> =>
    define(variable, options, (text) => {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
      const value = Number(text);
      if (!/^-?\d+$/.test(text) || value < min || value > max) {
        throw new Error(`must be an integer from ${min} to ${max}`);
      }
      return value;
    }),

  /** A factor such as RATE_LIMIT_MULTIPLIER; zero or more. */
  factor: (variable: string, options: Options<number>): Setting<number> =>
    define(variable, options, (text) => {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
        throw new Error('must be a number, zero or more');
      }
      return value;
    }),

  /** A fraction, 0 to 1. */
  share: (variable: string, options: Options<number>): Setting<number> =>
    define(variable, options, (text) => {
      const value = Number(text);
      if (text.trim() === '' || !(value >= 0 && value <= 1)) {
        throw new Error('must be a number from 0 to 1');
      }
      return value;
    }),

  choice: <T extends string>(
    variable: string,
    options: Options<T> & { of: readonly T[]; anyCase?: boolean },
  ): Setting<T> =>
    define(variable, options, (text) => {
      const wanted = options.anyCase ? text.toLowerCase() : text;
      const chosen = options.of.find((each) => each === wanted);
      if (chosen === undefined) throw new Error(`must be one of ${options.of.join(', ')}`);
      return chosen;
    }),

  /** `name=value` pairs, comma-separated, values percent-encoded where needed. */
  pairs: (
    variable: string,
    options: Options<Record<string, string>>,
  ): Setting<Record<string, string>> => define(variable, options, pairsOf),

  /** The first part of names on the bus, where these characters separate or match the parts. */
  namespace: (variable: string, options: Options<string>): Setting<string> =>
    define(variable, options, (text) => {
      if (/[\s.*>/\\]/.test(text)) throw new Error('must not contain spaces or any of . * > / \\');
      return text;
    }),

  /** Comma-separated. */
  list: (variable: string, options: Options<string[]>): Setting<string[]> =>
    define(variable, options, (text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),

  json: <T>(variable: string, options: Options<T> & { check: (value: unknown) => T }): Setting<T> =>
    define(variable, options, (text) => options.check(jsonOf(text))),

  /** Base64 of exactly 32 bytes. */
  key: (variable: string, options: { doc: string }): Setting<Buffer> =>
    define(variable, options, keyOf),

  /** Comma-separated keys, each as above. */
  keys: (variable: string, options: Options<Buffer[]>): Setting<Buffer[]> =>
    define(variable, options, (text) => text.split(',').map((item) => keyOf(item.trim()))),

  /** A base URL to which paths are appended: http or https, without a trailing slash. */
  httpUrl: (variable: string, options: Options<string>): Setting<string> =>
    define(variable, options, (text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
        throw new Error('must be an http(s) URL without query and fragment');
      }
      return text.replace(/\/+$/, '');
    }),

  /** `host:port`, or several with commas in between. */
  address: (variable: string, options: { doc: string }): Setting<string> =>
    define(variable, options, addressOf),

  /** A server for whose client any of these forms is usable. */
  serverUrl: (variable: string, options: ServerForms & { doc: string }): Setting<string> =>
    define(variable, options, (text) => serverUrlOf(text, options)),

  /** A database of PostgreSQL, also behind the path of a socket. */
  databaseUrl: (variable: string, options: { doc: string }): Setting<string> =>
    define(variable, options, databaseUrlOf),
};

/** Reads every setting of the shape; throws one SettingsError that names all problems. */
export function readSettings<S extends Shape>(shape: S, env: NodeJS.ProcessEnv): Settings<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, { variable, parse, fallback, fallbackText }] of Object.entries(shape)) {
    const text = env[variable];
    if (text === undefined || text === '') {
      if (fallbackText === null) problems.push(`${variable} is required`);
      values[key] = fallback;
      continue;
    }
    try {
      values[key] = parse(text);
    } catch (error) {
      problems.push(`${variable} ${error instanceof Error ? error.message : 'is not valid'}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return values as Settings<S>;
}

/** The README's table, generated from the definitions that are read. */
export function settingsTable(shape: Shape): string {
  const rows = Object.values(shape).map(
    ({ variable, doc, fallbackText }) =>
      `| \`${variable}\` | ${doc} | ${fallbackText ?? '*required*'} |`,
  );
  return ['| Variable | Meaning | Default |', '|---|---|---|', ...rows].join('\n');
}
