import type { Environment } from '@countersign/kernel/environment';
import { rateLimit } from '../authentication/rate-limits.js';

const paragraphs = [
  `Decides in real time whether an AI agent may make a payment on behalf of a principal, and records
each decision. \`POST /api/v1/authorize\` answers APPROVE, DECLINE or STEP_UP with reason codes.`,
  `**Credentials.** Send \`X-API-Key: svc_live_…\` or \`svc_test_…\`: the prefix alone selects
the environment, live or sandbox. Where OAuth2 is on, a Bearer token works on the runtime
endpoints too.`,
  `**Acting Principal.** Runtime endpoints act for one Principal: the one in \`X-Principal-Id\`,
else the only one of the Client. On \`/authorize\` without the header, the Agent in the body
decides.`,
  `**Values.** Times are ISO 8601: in UTC in answers, and with any offset in requests, where zero
seconds may be left out. Money may be sent as a decimal string (recommended) or a number; it comes
back as a string in single resources and as a number in lists, in \`limits\` and in the
\`released_amount\` of a reversal.
Fields that are not known are refused in requests; answers may get further ones in a later release,
so ignore what you do not know. In the body of a POST, an optional field that is null counts as
absent.`,
  `**Ids.** An id begins with the prefix of what it names. In a path, another prefix is refused
with 422; with the right one, an id that was never given out is not found, whatever its rest, and
so is one of another Client.`,
  `**Idempotency.** \`idempotency_key\` in the body of \`/authorize\`, the header
\`Idempotency-Key\` on onboarding creates. Retry 408, 429, 5xx and a 409
\`idempotency_key_in_progress\` with backoff and jitter, and nothing else blindly.`,
  `**Scopes.** A credential without scopes may do everything. Otherwise the first part of the path
after \`/api/v1\` must be covered, else the answer is 403: \`authorize\`, \`agents\`, \`mandates\`,
\`webhooks\`, \`thresholds\` and \`cases\` are named as their paths, \`principals\` covers
\`principals\`, \`onboard\` and \`programs\`, and \`outcomes\` covers \`outcomes\` and \`crypto\`.
\`risk\`, \`metrics\` and \`vault\` are reserved. A credential with access \`read\` opens,
within its scopes, what changes nothing: GET, \`/authorize/simulate\`, \`/thresholds/preview\`.
One with access \`spend\` may also \`POST /authorize\` and \`/crypto/settlements\`, and no more:
it is for the key that an agent itself holds.`,
  rateText(),
  `**Sandbox.** \`POST /authorize/simulate\` decides without any trace, in both environments. In the
sandbox alone, amounts trigger what is otherwise hard to meet: \`666.01\` is declined with
\`FRAUD_SUSPECTED\`, \`666.02\` is a STEP_UP with \`AMOUNT_STEP_UP\`, and \`666.03\` has an intent
anomaly of 0.75 (\`gate.fired\`; a STEP_UP, or in zone RED or CRITICAL a DECLINE with
\`INTENT_ANOMALY_DECLINE\`). They are one more rule beside the others. The code
\`000000\` confirms every challenge of a Principal that has a step-up method, and
\`POST /principals/{principal_id}/verification/simulate\` resolves a pending verification.`,
  `**Errors.** Branch on the HTTP status first, then on the code; messages may change. Every answer
names its request in \`X-Request-ID\`. A method that a path does not take is 405, with those it
takes in \`Allow\`. Where GET is one, so is HEAD, which answers the same without the body.`,
];

/** From the numbers that the gateway itself counts by. */
function rateText(): string {
  const [authorize, write, read] = (['authorize', 'write', 'read'] as const).map(
    (group) => `${bucketText(group, 'live')} (sandbox ${bucketText(group, 'sandbox')})`,
  );
  return `**Rate limits**, for each credential, as requests a second / at once:
\`POST /authorize\` and \`/authorize/simulate\` ${authorize}, other writes ${write}, reads ${read}.
The token exchange takes 10 a minute for each client id, and from each network that sends one. Ten
failed authentications from one address within five minutes make it wait, but for credentials that
are known to be good. What is left is in \`X-RateLimit-Remaining\`; a 429 says in \`Retry-After\`
how many seconds to wait. The operator may have scaled all of them.`;
}

function bucketText(group: 'authorize' | 'write' | 'read', environment: Environment): string {
  const limit = rateLimit(group, environment);
  return limit ? `${limit.perSecond}/${limit.burst}` : 'none';
}

/** What a reader needs before the first operation; Markdown, also the text of the docs page. */
export const guide = paragraphs.join('\n\n');

/** The chapter of what Countersign sends; no route stands in it. */
export const eventsTag = 'Events';

/** The chapters, in reading order. */
export const tags = [
  { name: 'Onboarding', description: 'Client key: Principals, Agents, Mandates, Programs.' },
  { name: 'Authorization', description: 'Decisions, their log, reversal.' },
  { name: 'Step-up', description: 'Payments that wait for a human.' },
  { name: 'Agents', description: 'Agents of the acting Principal.' },
  { name: 'Mandates', description: 'Spending authority.' },
  { name: 'Outcomes', description: 'What happened after an authorization.' },
  { name: 'Crypto settlements', description: 'On-chain transfers of approved authorizations.' },
  { name: 'Webhooks', description: 'Signed events, delivered at least once.' },
  {
    name: eventsTag,
    description:
      'What a webhook receives: requests from Countersign to your URL, signed and delivered at ' +
      'least once. Verify the signature over the raw body before you believe a word of it, and ' +
      'ignore types and fields that you do not know. Samples have `test: true` in their data.',
  },
  { name: 'Thresholds', description: 'Limits for decisions, risk and promotion, per Principal.' },
  { name: 'Cases', description: 'Fraud triage: suspicions and their resolution.' },
  { name: 'OAuth', description: 'Client credentials.' },
  { name: 'Public', description: 'No credential needed.' },
];
