/** What a reader needs before the first operation; Markdown, also the text of the page. */
export const guide = [
  `Creates Clients, their Programs and their credentials, and changes what no Client may change. It
is a listener of its own (\`INTERNAL_PORT\`, 8081), which must not be reachable from outside.`,
  `**Credentials.** Send \`X-Admin-Key\`. The one call without it is the callback of a verification
provider, which signs its body. There is no rate limit.`,
  `**Command line.** \`npm run -s operator -- <operationId> name=value\` makes any of these calls
but the callback.`,
  `**Lists.** Newest first; \`next_cursor\` of a page is \`cursor\` of the next.`,
  `**Values.** Times are ISO 8601: in UTC in answers, and with any offset in requests. Amounts may
be sent as a decimal string (recommended) or a number, and come back as a string. Fields that are
not known are refused in requests; answers may get further ones in a later release, so ignore what
you do not know.`,
  `**Audit.** Every call is recorded before it is carried out, and with its result afterwards. A
call that cannot be recorded is not carried out.`,
  `**Errors.** Branch on the HTTP status first, then on the code; messages may change. Every answer
names its request in \`X-Request-ID\`. A change that was answered with 503 may have been stored:
repeat the call, but look into the list first where it creates something. A method that a path does
not take is 405. Where GET is one, so is HEAD.`,
].join('\n\n');

/** The chapters, in reading order. */
export const tags = [
  { name: 'Clients', description: 'Who integrates with this installation.' },
  { name: 'Programs', description: 'What a Client offers: rails, ceilings, verification.' },
  { name: 'Credentials', description: 'API keys and OAuth clients of the public API.' },
  { name: 'Principals', description: 'Verification and risk tier.' },
  { name: 'Personal data', description: 'Shown, changed, erased.' },
  { name: 'Agents', description: 'Whose they are.' },
  { name: 'Authorizations', description: 'Whose they are.' },
  { name: 'Verifiable intent', description: 'Users that may act for a Principal; evidence.' },
  { name: 'Fraud patterns', description: 'Suspected takeovers of agents.' },
  { name: 'Webhooks', description: 'Endpoints that fail.' },
  { name: 'Signing keys', description: 'Of decisions.' },
  { name: 'Audit', description: 'Who called what; rows are never changed.' },
  { name: 'Documentation', description: 'This description.' },
] as const;

export type OperatorTag = (typeof tags)[number]['name'];
