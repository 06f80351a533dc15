import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, environments } from '@countersign/kernel/environment';
import type { EnvironmentKeys } from './dev-file.js';
import { Failure, messageOf } from './screen.js';

/** What the seed creates in one environment: a Program, its keys, and an agent with a mandate. */
export interface EnvironmentSeed extends EnvironmentKeys {
  principal_id: string;
  agent_id: string;
  mandate_id: string;
}

export type Seed = Record<Environment, EnvironmentSeed>;

export interface SeedTarget {
  baseUrl: string;
  internalUrl: string;
  adminKey: string;
}

const callDeadlineMs = 15_000;
const advice = 'The logs of the gateway and of identity say more.';

/** Creates a Client named Demo in both environments, through the public and operator APIs. */
export async function seedDemo(target: SeedTarget): Promise<Seed> {
  const client = await operator(target, '/clients', { name: 'Demo' });
  const clientId = text(client, 'id');
  const [live, sandbox] = await Promise.all(
    environments.map((environment) => seedEnvironment(target, clientId, environment)),
  );
  if (!live || !sandbox) throw new Error('both environments are seeded');
  return { live, sandbox };
}

async function seedEnvironment(
  target: SeedTarget,
  clientId: string,
  environment: Environment,
): Promise<EnvironmentSeed> {
  const program = await operator(target, `/clients/${clientId}/programs`, {
    environment,
    name: 'Demo',
    rails: ['card', 'crypto'],
  });
  const programId = text(program, 'id');
  const issue = (kind: string): Promise<unknown> =>
    operator(target, `/clients/${clientId}/credentials`, { environment, kind, label: 'demo' });
  const apiKey = text(await issue('api_key'), 'api_key');
  const oauth = await issue('oauth_client');
  const onboarded = await post(`${target.baseUrl}/api/v1/onboard`, demoAgent(programId), {
    'x-api-key': apiKey,
    'idempotency-key': `demo-${randomBytes(8).toString('hex')}`,
  });
  return {
    client_id: clientId,
    program_id: programId,
    api_key: apiKey,
    oauth_client_id: text(oauth, 'oauth_client_id'),
    oauth_client_secret: text(oauth, 'client_secret'),
    principal_id: text(onboarded, 'principal', 'id'),
    agent_id: text(onboarded, 'agent', 'id'),
    mandate_id: text(onboarded, 'mandate', 'id'),
  };
}

function demoAgent(programId: string): object {
  return {
    principal: {
      principal_kind: 'personal',
      program_ids: [programId],
      profile: { display_name: 'Demo Customer', email: 'demo@example.com' },
      verification: {
        type: 'KYC',
        mode: 'client_attested',
        attestation: {
          attested_by: 'Demo',
          scope: 'identity',
          statement: 'Made by the local run for trying things out.',
          evidence_ref: 'demo',
        },
      },
    },
    agent: { name: 'Demo Agent' },
    mandate: {
      rails: ['card'],
      limits: {
        max_amount_per_transaction: '500.00',
        max_daily_amount: '5000.00',
        currency: 'USD',
      },
    },
  };
}

/** Answers of an installation that does not know a key or a Principal. */
const refusals = [401, 403, 404];
const maxAsked = 5;

/**
 * Whether the keys of an earlier seed are valid for the running installation. Fails if it does not
 * say: the keys are shown once, so a seed is not given up for an outage.
 */
export async function isSeeded(seed: Seed, baseUrl: string, pauseMs: number): Promise<boolean> {
  const known = environments.map((environment) => isKnown(seed[environment], baseUrl, pauseMs));
  return (await Promise.all(known)).every(Boolean);
}

async function isKnown(seed: EnvironmentSeed, baseUrl: string, pauseMs: number): Promise<boolean> {
  const path = `/api/v1/principals/${seed.principal_id}/agents`;
  let answer = '';
  for (let asked = 0; asked < maxAsked; asked += 1) {
    if (asked > 0) await pause(pauseMs);
    const status = await statusOf(`${baseUrl}${path}`, seed.api_key).catch(messageOf);
    if (status === 200) return true;
    if (refusals.includes(Number(status))) return false;
    answer = typeof status === 'number' ? `answered ${status}` : `was not answered: ${status}`;
  }
  throw new Failure(`GET ${path} ${answer}`, `The earlier seed is kept. ${advice}`);
}

async function statusOf(url: string, key: string): Promise<number> {
  const headers = { 'x-api-key': key };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(callDeadlineMs) });
  await response.body?.cancel();
  return response.status;
}

/** A first request that is approved in the sandbox, as a shell command. */
export function firstCurl(seed: Seed, baseUrl: string): string {
  const { api_key: key, agent_id: agentId, principal_id: principalId } = seed.sandbox;
  const body = {
    agent_id: agentId,
    amount: '12.50',
    currency: 'USD',
    merchant_name: 'Corner Shop',
    intent_context: { task_reference: 'try-countersign' },
    idempotency_key: `try-${randomBytes(6).toString('hex')}`,
  };
  return [
    `curl -sS ${baseUrl}/api/v1/authorize \\`,
    `  -H 'X-API-Key: ${key}' -H 'X-Principal-Id: ${principalId}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

function operator({ internalUrl, adminKey }: SeedTarget, path: string, body: object) {
  return post(`${internalUrl}/internal/v1${path}`, body, { 'x-admin-key': adminKey });
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<unknown> {
  const { pathname } = new URL(url);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callDeadlineMs),
    });
    if (response.ok) return await response.json();
    throw new Failure(
      `POST ${pathname} answered ${response.status}: ${await response.text()}`,
      advice,
    );
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`POST ${pathname} was not answered: ${messageOf(error)}`, advice);
  }
}

/** A text at a path in a response; its absence would be a bug. */
function text(answer: unknown, ...path: string[]): string {
  let value = answer;
  for (const key of path) value = (value as Record<string, unknown> | null)?.[key];
  if (typeof value === 'string') return value;
  throw new Error(`an answer of the gateway lacks ${path.join('.')}`);
}
