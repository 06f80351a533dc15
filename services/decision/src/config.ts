import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';
import { hasSandboxKey } from './issuer/key-set.js';
import { sandboxIssuer } from './issuer/sandbox-issuer.js';
import { type IssuerSettings, readIssuers } from './issuer/settings.js';
import { usualHistoryMb } from './known-memory.js';

const issuersDoc =
  'JSON list of issuers whose `vi_chain` is believed: `{iss, vct[], jwks or jwks_uri, ' +
  'allowed_algs: ["ES256"], subject_binding: "explicit" or "tofu"}`';

export const settings = {
  ...processSettings,
  ...tracingSettings,
  ...grpcSettings,
  ...databaseSettings,
  ...natsSetting,
  identityAddress: setting.text('IDENTITY_ADDRESS', {
    doc: '`host:port` of identity, which is asked who the agent is and what it may do',
  }),
  ledgerAddress: setting.text('LEDGER_ADDRESS', {
    doc: '`host:port` of the ledger, which has the last word on limits and keeps every decision',
  }),
  redisUrl: setting.text('REDIS_URL', {
    doc: 'Redis: the times of the last decisions of each agent, which `VELOCITY_BURST` counts',
  }),
  redisTimeoutMs: setting.integer('REDIS_TIMEOUT_MS', {
    doc: 'milliseconds Redis is waited for; a quarter of `DECISION_DEADLINE_MS` at most',
    fallback: 50,
    min: 10,
    max: 10_000,
  }),
  baseUrl: setting.httpUrl('BASE_URL', {
    doc: 'public address: issuer of attestations, and where their keys are found',
  }),
  secretsKey: setting.key('SECRETS_KEY', {
    doc: 'base64 of 32 bytes; seals the private halves of signing keys at rest',
  }),
  secretsKeysPrevious: setting.keys('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`, which only open what they sealed',
    fallback: [],
  }),
  attestations: setting.text('ATTESTATIONS', {
    doc: '`on` or `off`: whether decisions are signed',
    fallback: 'on',
  }),
  viTrustedIssuersLive: setting.json<IssuerSettings[]>('VI_TRUSTED_ISSUERS_LIVE', {
    doc: `${issuersDoc} of live`,
    fallback: [],
    check: readIssuers,
  }),
  viTrustedIssuersSandbox: setting.json<IssuerSettings[]>('VI_TRUSTED_ISSUERS_SANDBOX', {
    doc: 'the same of sandbox, besides the built-in test issuer',
    fallback: [],
    check: readIssuers,
  }),
  viAudience: setting.list('VI_AUDIENCE', {
    doc: 'audiences that a `vi_chain` may be made for, besides the issuer of attestations',
    fallback: [],
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
  agentHistoryMb: setting.integer('AGENT_HISTORY_MB', {
    doc:
      'megabytes of each environment for what payments are compared with, 13 KB for a full past; ' +
      'what is not held is read anew with each payment',
    fallback: usualHistoryMb,
    min: 8,
    max: 65_536,
  }),
  fraudCaseRetentionDays: setting.integer('FRAUD_CASE_RETENTION_DAYS', {
    doc: 'fraud cases, resolved or not, and patterns are kept this long',
    fallback: 730,
    min: 30,
    max: 3_650,
  }),
};

export type Config = Settings<typeof settings>;

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  if (!['on', 'off'].includes(config.attestations)) {
    throw new SettingsError(['ATTESTATIONS must be on or off']);
  }
  const problems = sandboxIssuerProblems(config);
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

/** The private key of the sandbox issuer is public, so it must never be trusted in live. */
function sandboxIssuerProblems(config: Config): string[] {
  const isIt = ({ iss, keys }: IssuerSettings): boolean =>
    iss === sandboxIssuer.iss || (!('uri' in keys) && hasSandboxKey(keys));
  const problems: string[] = [];
  if (config.viTrustedIssuersLive.some(isIt)) {
    problems.push('VI_TRUSTED_ISSUERS_LIVE names the test issuer, whose private key is public');
  }
  if (config.viTrustedIssuersSandbox.some(({ iss }) => iss === sandboxIssuer.iss)) {
    problems.push(
      'VI_TRUSTED_ISSUERS_SANDBOX names the test issuer, which is trusted there anyway',
    );
  }
  return problems;
}
