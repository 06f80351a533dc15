import { serviceNames } from '@countersign/tools/services';
import { type Stack, type StackOptions, startStack } from '@countersign/tools/stack';
import { cloneSpenders } from './clone-spenders.js';
import { type ModelSpender, onboardModel } from './model-spender.js';
import { postForm } from './public-api.js';
import { paymentPlan, type Subject, spreadMandates } from './subject.js';

export interface Product extends Subject {
  stack: Stack;
  model: ModelSpender;
  /** The same, authenticated with an access token instead of a key. */
  withToken(): Promise<Subject>;
}

export interface ProductOptions {
  mandates?: number;
  env?: Record<string, string>;
  replicas?: StackOptions['replicas'];
}

/**
 * The whole installation with every feature enabled except rate limits, which would answer 429 to a
 * load test. Mandates are copies of one created through the public API. Uses the servers of the
 * lab.
 */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const { mandates = spreadMandates, env, replicas } = options;
  const stack = await startPatiently({
    ...(replicas && { replicas }),
    env: { RATE_LIMIT_MULTIPLIER: '0', NODE_ENV: 'production', ...env },
  });
  const model = await onboardModel(stack);
  await cloneSpenders(stack, { model, count: mandates });
  const subject = (credential: string): Subject => ({
    name: 'product',
    isProduct: true,
    port: Number(new URL(stack.baseUrl).port),
    pids: () => pidsOf(stack, replicas),
    plan: (variation) =>
      paymentPlan([credential, 'x-principal-id: prn_01{n}'], { mandates, ...variation }),
  });
  return {
    ...subject(`x-api-key: ${model.apiKey}`),
    stack,
    model,
    withToken: async () => subject(`authorization: Bearer ${await token(stack)}`),
  };
}

const maxStarts = 4;

/** On a busy machine the first calls may miss their deadlines, so it retries. */
async function startPatiently(options: StackOptions): Promise<Stack> {
  for (let started = 1; ; started += 1) {
    try {
      return await startStack(options);
    } catch (error) {
      if (started === maxStarts) throw error;
    }
  }
}

function pidsOf(stack: Stack, replicas: StackOptions['replicas']): Record<string, number> {
  const names = serviceNames.flatMap((name) => [
    name,
    ...Array.from({ length: (replicas?.[name] ?? 1) - 1 }, (_, i) => `${name}-${i + 2}` as const),
  ]);
  return Object.fromEntries(names.map((name) => [name, stack.pid(name) ?? 0]));
}

async function token(stack: Stack): Promise<string> {
  const demo = stack.seed?.live;
  const answer = await postForm(`${stack.baseUrl}/api/v1/oauth/token`, {
    grant_type: 'client_credentials',
    client_id: demo?.oauth_client_id ?? '',
    client_secret: demo?.oauth_client_secret ?? '',
  });
  return String(answer.access_token);
}
