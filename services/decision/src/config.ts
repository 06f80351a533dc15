import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  redisUrl,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';
import { hasSandboxKey } from './issuer/key-set.js';
import { sandboxIssuer } from './issuer/sandbox-issuer.js';
import { type IssuerSettings, readIssuers } from './issuer/settings.js';
import { defaultHistoryMb } from './state/cache.js';

export const settings = {
  ...processSettings,
  ...tracingSettings,
  ...grpcSettings,
  ...databaseSettings,
  ...natsSetting,
  identityAddress: setting.address('IDENTITY_ADDRESS', {
    doc: "`host:port` of identity's gRPC, the source of agents and mandates",
  }),
  ledgerAddress: setting.address('LEDGER_ADDRESS', {
    doc: "`host:port` of the ledger's gRPC, which enforces limits and records every decision",
  }),
  redisUrl: redisUrl(
    "URL of the Redis server that counts each agent's recent decisions for `VELOCITY_BURST`",
  ),
  redisTimeoutMs: setting.integer('REDIS_TIMEOUT_MS', {
    doc:
      'timeout of a Redis command in milliseconds; capped at a quarter of ' +
      '`DECISION_DEADLINE_MS`',
    fallback: 50,
    min: 10,
    max: 10_000,
  }),
  baseUrl: setting.httpUrl('BASE_URL', {
    doc: 'public URL of the API: the issuer of attestations, under which their keys are published',
  }),
  secretsKey: setting.key('SECRETS_KEY', {
    doc: '32 bytes in base64; encrypts the private signing keys at rest',
  }),
  secretsKeysPrevious: setting.keys('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`, used only to decrypt what was encrypted with them',
    fallback: [],
  }),
  attestations: setting.choice('ATTESTATIONS', {
    doc: '`on` or `off`: whether decisions carry a signed attestation',
    fallback: 'on',
    of: ['on', 'off'],
  }),
  viTrustedIssuersLive: setting.json<IssuerSettings[]>('VI_TRUSTED_ISSUERS_LIVE', {
    doc:
      'JSON list of the issuers of `vi_chain` that are trusted in live: `{iss, vct[], jwks or ' +
      'jwks_uri, allowed_algs: ["ES256"], subject_binding: "explicit" or "tofu"}`',
    fallback: [],
    check: readIssuers,
  }),
  viTrustedIssuersSandbox: setting.json<IssuerSettings[]>('VI_TRUSTED_ISSUERS_SANDBOX', {
    doc: 'the same for sandbox, in addition to the built-in test issuer',
    fallback: [],
    check: readIssuers,
  }),
  viAudience: setting.list('VI_AUDIENCE', {
    doc: 'accepted audiences of a `vi_chain`, in addition to the issuer of attestations',
    fallback: [],
  }),
  decisionDeadlineMs: setting.integer('DECISION_DEADLINE_MS', {
    doc:
      "deadline of a decision in milliseconds; must be less than the gateway's " +
      '`AUTHORIZE_DEADLINE_MS`',
    fallback: 1_200,
    min: 100,
    max: 60_000,
  }),
  stepUpWindowSeconds: setting.integer('STEP_UP_WINDOW_SECONDS', {
    doc: 'seconds after which an unanswered step-up challenge expires',
    fallback: 300,
    min: 1,
    max: 86_400,
  }),
  agentHistoryMb: setting.integer('AGENT_HISTORY_MB', {
    doc:
      'megabytes per environment for cached payment histories, of up to 13 KB per agent; an ' +
      'agent that is not cached has its history read with each payment',
    fallback: defaultHistoryMb,
    min: 8,
    max: 65_536,
  }),
  fraudCaseRetentionDays: setting.integer('FRAUD_CASE_RETENTION_DAYS', {
    doc: 'days after which fraud cases, resolved or not, and fraud patterns are deleted',
    fallback: 730,
    min: 30,
    max: 3_650,
  }),
};

export type Config = Settings<typeof settings>;

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const problems = sandboxIssuerProblems(config);
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

/** The private key of the sandbox issuer is public, so it must never be trusted in live. */
function sandboxIssuerProblems(config: Config): string[] {
  const isSandboxIssuer = ({ iss, keys }: IssuerSettings): boolean =>
    iss === sandboxIssuer.iss || (!('uri' in keys) && hasSandboxKey(keys));
  const problems: string[] = [];
  if (config.viTrustedIssuersLive.some(isSandboxIssuer)) {
    problems.push('VI_TRUSTED_ISSUERS_LIVE contains the test issuer, whose private key is public');
  }
  if (config.viTrustedIssuersSandbox.some(({ iss }) => iss === sandboxIssuer.iss)) {
    problems.push(
      'VI_TRUSTED_ISSUERS_SANDBOX contains the test issuer, which is always trusted there',
    );
  }
  return problems;
}
