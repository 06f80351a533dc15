import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, setting } from '@countersign/runtime/settings';

export const settings = {
  ...processSettings,
  ...grpcSettings,
  ...databaseSettings,
  ...natsSetting,
  identityAddress: setting.text('IDENTITY_ADDRESS', {
    doc: '`host:port` of identity, which is asked who the agent is and what it may do',
  }),
  ledgerAddress: setting.text('LEDGER_ADDRESS', {
    doc: '`host:port` of the ledger, which has the last word on limits and keeps every decision',
  }),
  decisionDeadlineMs: setting.integer('DECISION_DEADLINE_MS', {
    doc: 'longest a decision takes, less than the gateway waits, milliseconds',
    fallback: 1_200,
    min: 100,
    max: 60_000,
  }),
  stepUpWindowSeconds: setting.integer('STEP_UP_WINDOW_SECONDS', {
    doc: 'how long a human may take to answer a STEP_UP',
    fallback: 300,
    min: 1,
    max: 86_400,
  }),
};

export type Config = Settings<typeof settings>;

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  return readSettings(settings, env);
}
