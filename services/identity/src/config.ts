import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';

export const settings = {
  ...processSettings,
  ...tracingSettings,
  ...grpcSettings,
  ...databaseSettings,
  ...natsSetting,
  ledgerAddress: setting.address('LEDGER_ADDRESS', {
    doc:
      "`host:port` of the ledger's gRPC, which is fenced before a change of authority is " +
      'acknowledged',
  }),
  baseUrl: setting.text('BASE_URL', {
    doc: 'public URL of the API: the audience and target URL of registration proofs',
  }),
  fenceRetryMs: setting.integer('FENCE_RETRY_MS', {
    doc: 'milliseconds between attempts to deliver fences that the ledger has not acknowledged',
    fallback: 1_000,
    min: 10,
    max: 60_000,
  }),
  verificationProvider: setting.text('VERIFICATION_PROVIDER', {
    doc: 'name of the verification provider, as shown in verification sessions',
    fallback: 'hosted',
  }),
  verificationUrl: setting.text('VERIFICATION_URL', {
    doc:
      "URL of the provider's page, to which the session id is appended; empty for " +
      '`{BASE_URL}/verification`',
    fallback: '',
  }),
};

export type Config = Settings<typeof settings>;

/** Reads and validates the environment variables. Trailing slashes of URLs are removed. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const baseUrl = httpUrl('BASE_URL', config.baseUrl);
  const verificationUrl = config.verificationUrl || `${baseUrl}/verification`;
  return {
    ...config,
    baseUrl,
    verificationUrl: httpUrl('VERIFICATION_URL', verificationUrl),
  };
}

function httpUrl(variable: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new SettingsError([`${variable} must be an http(s) URL without query and fragment`]);
  }
  return text.replace(/\/+$/, '');
}
