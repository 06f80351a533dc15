import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, setting } from '@countersign/runtime/settings';

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
  baseUrl: setting.httpUrl('BASE_URL', {
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
  verificationUrl: setting.httpUrl('VERIFICATION_URL', {
    doc:
      "URL of the provider's page, to which the session id is appended; empty for " +
      '`{BASE_URL}/verification`',
    fallback: '',
  }),
};

export type Config = Settings<typeof settings>;

/** Reads and validates the environment variables. An empty `verificationUrl` is resolved. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const verificationUrl = config.verificationUrl || `${config.baseUrl}/verification`;
  return { ...config, verificationUrl };
}
