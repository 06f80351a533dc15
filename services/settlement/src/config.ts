import {
  databaseSettings,
  grpcSettings,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, setting } from '@countersign/runtime/settings';
import { type ChainSettings, readChains } from './chain-settings.js';

const chainsDoc =
  'JSON list of `{name, chain_id, rpc_urls[], confirmations, ' +
  'assets: {USDC: {contract, decimals}}}`';

export const settings = {
  ...processSettings,
  ...tracingSettings,
  ...grpcSettings,
  ...databaseSettings,
  ledgerAddress: setting.address('LEDGER_ADDRESS', { doc: "`host:port` of the ledger's gRPC" }),
  chainsLive: setting.json<ChainSettings[]>('CHAINS_LIVE', {
    doc: `${chainsDoc} for live; if empty, the crypto rail is disabled`,
    fallback: [],
    check: readChains,
  }),
  chainsSandbox: setting.json<ChainSettings[]>('CHAINS_SANDBOX', {
    doc: 'the same for sandbox',
    fallback: [],
    check: readChains,
  }),
  chainPollMs: setting.integer('CHAIN_POLL_MS', {
    doc: 'milliseconds between checks of an open settlement',
    fallback: 4_000,
    min: 20,
    max: 600_000,
  }),
  chainTimeoutMs: setting.integer('CHAIN_TIMEOUT_MS', {
    doc: 'milliseconds after which a request to a node fails and the next RPC URL is tried',
    fallback: 2_000,
    min: 50,
    max: 30_000,
  }),
};

export type Config = Settings<typeof settings>;

/** Throws one SettingsError that lists all invalid settings. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  return readSettings(settings, env);
}
