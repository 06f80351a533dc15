const paragraphs = [
  `Decides in real time whether an AI agent may make a payment on behalf of a principal, and records
each decision. \`POST /api/v1/authorize\` answers APPROVE, DECLINE or STEP_UP with reason codes.`,
  `**Credentials.** Send \`X-API-Key: svc_live_…\` or \`svc_test_…\`: the prefix alone selects
the environment, live or sandbox. Where OAuth2 is on, a Bearer token works on the runtime
endpoints too.`,
  `**Acting Principal.** Runtime endpoints act for one Principal: the one in \`X-Principal-Id\`,
else the only one of the Client. On \`/authorize\` without the header, the Agent in the body
decides.`,
  `**Values.** Times are ISO 8601 in UTC. Money may be sent as a decimal string (recommended) or a
number; it comes back as a string in single resources and as a number in lists and in \`limits\`.
Fields that are not known are refused.`,
  `**Ids.** An id begins with the prefix of what it names. In a path, another prefix is refused
with 422; with the right one, an id that was never given out is not found, whatever its rest, and
so is one of another Client.`,
  `**Idempotency.** \`idempotency_key\` in the body of \`/authorize\`, the header
\`Idempotency-Key\` on onboarding creates. Retry 429 and 5xx with backoff and
jitter, and nothing else blindly.`,
  `**Errors.** Branch on the HTTP status first, then on the code; messages may change. Every answer
names its request in \`X-Request-ID\`.`,
];

/** What a reader needs before the first operation; Markdown, also the text of the docs page. */
export const guide = paragraphs.join('\n\n');

/** The chapters, in reading order. */
export const tags = [
  { name: 'Onboarding', description: 'Client key: Principals, Agents, Mandates, Programs.' },
  { name: 'Authorization', description: 'Decisions, their log, reversal.' },
  { name: 'Step-up', description: 'Payments that wait for a human.' },
  { name: 'Agents', description: 'Agents of the acting Principal.' },
  { name: 'Mandates', description: 'Spending authority.' },
  { name: 'Outcomes', description: 'What became of an authorization.' },
  { name: 'Crypto settlements', description: 'On-chain transfers of approved authorizations.' },
  { name: 'Webhooks', description: 'Signed events, delivered at least once.' },
  { name: 'Thresholds', description: 'Gates, risk and promotion, per Principal.' },
  { name: 'Cases', description: 'Fraud triage, where it is enabled.' },
  { name: 'OAuth', description: 'Client credentials.' },
  { name: 'Public', description: 'No credential needed.' },
];
