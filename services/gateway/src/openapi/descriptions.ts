const ceilingMeaning = 'A limit that is left out is the ceiling of the Program, if it has one.';

/** What an operation does beyond its summary, by operationId, for the published description. */
export const descriptions: Readonly<Record<string, string>> = {
  onboard:
    'The Principal, the Agent and the Mandate are created together or not at all. 202 where the ' +
    'Principal still has to be verified by the platform.',
  registerPrincipal:
    'VERIFIED at once with `client_attested`; with `platform_provider` 202, PENDING, and a ' +
    '`verification_session` to complete.',
  getPrincipal: 'Only the acting Principal can be read; any other id is refused with 403.',
  enrollPrincipal: 'Enrolling once more changes nothing. Answers the full list of Programs.',
  addAgent:
    '`program_id` is inherited where the Principal is in exactly one Program, and required ' +
    'otherwise. A `did:key` is generated.',
  listPrincipalAgents:
    'All Agents of the Principal, whatever their status, in order of creation. Of more than ' +
    '10,000 the first 10,000 are listed; `count` is the number of all.',
  grantMandate:
    'Each rail must be enabled on the Program of the Agent. Valid for 365 days unless ' +
    `\`valid_until\` says otherwise. ${ceilingMeaning}`,
  createSandboxKey: 'The key acts for this Principal alone, and is shown once. Not in live.',
  simulateVerification: 'Resolves a pending verification as its provider would. Not in live.',
  listPrograms: 'Programs are made by the operator; newest first.',
  getProgram: 'With its rails, its ceilings, and how it wants Principals verified.',
  simulateAuthorization:
    'Takes the body of `POST /authorize` and decides the same way; no limit is used, no record ' +
    'is made, no event is sent.',
  reverseAuthorization:
    'A full reversal releases amount and count; a partial one releases its amount and keeps the ' +
    'count. Once all of the amount is released, `already_reversed` is true and no amount is ' +
    'released; after partial ones, a full reversal then still releases the count.',
  listAuthorizations:
    'Of all its Agents, and those that named no known Agent. By time, to read what was missed ' +
    'while a webhook could not be delivered; by reference, to find the payments of an order. ' +
    'Amounts are numbers in this list.',
  listAgentAuthorizations: 'Amounts are numbers in this list.',
  getAuthorization: 'With every decision in order, its step-up, and what was reversed.',
  explainAuthorization:
    'From what was recorded with the decision, not from what holds now. `judged` is false for a ' +
    'fail-safe decision, which has no rules and no scores.',
  listPendingStepUps:
    'May include challenges that have expired within a week or so and can no longer be confirmed.',
  confirmStepUp:
    'Agent, Principal, Mandate and limits are checked anew, and the amount is reserved in the ' +
    'same step. 400 where the challenge has expired, was answered, or the check fails, also ' +
    'where another Mandate has taken the place of that by which it was judged.',
  denyStepUp: 'Records the decision DECLINE. 400 where the challenge has expired or was answered.',
  verifyStepUpCode:
    'Confirms with the code that was sent; in the sandbox also with `000000`, where a method is ' +
    'configured. The fifth wrong code denies.',
  createAgent:
    'A `did:key` is generated where no `did` is given. With `public_key_jwk`, a P-256 or Ed25519 ' +
    'key of its own, comes `registration_proof`: a compact JWS, signed with that key (ES256 or ' +
    'EdDSA), of at most 4,096 characters.\n\n' +
    'Its header has `typ` (`agent-registration-proof+jwt`), `alg` and `jwk` (the public key) and ' +
    'nothing else. Its claims: `iss` and `sub`, both the DID (that of the key where no `did` is ' +
    'given); `aud`, the base address, in the sandbox followed by `/sandbox`; `htm`, `POST`; ' +
    '`htu`, the base address followed by `/api/v1/agents`; `principal_id`, the acting Principal; ' +
    '`iat` and `exp` in seconds, at most 300 apart; `jti`, 22 to 128 visible ASCII characters. ' +
    'A clock may be wrong by 60 seconds. A proof is good once.',
  listAgents: 'By page number, with the total.',
  getAgent: 'With its count of transactions and its decline rate.',
  getAgentMetrics: 'Each criterion with what is required, what is actual, and whether it is met.',
  updateAgentStatus:
    'ACTIVE and SUSPENDED go either way; REVOKED is final, revokes the Mandates of the Agent and ' +
    'denies its challenges.',
  createMandate:
    'Covers cards; also crypto where chains, assets or counterparties are given and the Program ' +
    'enables it. The newest active Mandate that covers the rail is the one that counts. ' +
    ceilingMeaning,
  listAgentMandates:
    'The newest, up to 1,000 of them or about 1 MB, so fewer where they have long lists; `total` ' +
    'counts all, and `status` narrows it. Amounts are numbers in this list, but ' +
    '`crypto.max_transfer` is a string.',
  getMandate: 'Revoked and expired Mandates stay readable.',
  revokeMandate: 'Holds from the answer on. Revoking once more answers the revoked Mandate.',
  getMandateBudget: 'By UTC day and month; null where there is no limit.',
  reportOutcomes:
    'The whole request is validated first; each row is then recorded, or not, for itself, and ' +
    'the answer is 200: `status` in `results` says which.',
  listOutcomes: 'Amounts are numbers in this list.',
  listSettlements: 'Each with what the chain says of it now.',
  listCases:
    'What was suspected of the acting Principal’s payments, resolved or not; amounts are numbers ' +
    'in this list. 404 unless a Program of the Principal has fraud triage enabled.',
  getCase: '404 also where no Program of the Principal has fraud triage enabled.',
  resolveCase:
    'Holds for good: the same resolution again answers the case as it is, another is 422 ' +
    '(`already_resolved`). CONFIRMED_FRAUD and FALSE_POSITIVE are recorded as outcomes of the ' +
    'authorization and count for the scores of the Agent; such an outcome that is reported ' +
    'resolves an open case in turn.',
  listFraudPatterns:
    'What `fraud.pattern.agto_suspected` announced of the Agents of the acting Principal, for ' +
    'those who poll or missed an event. 404 unless a Program of the Principal has fraud triage ' +
    'enabled.',
  createWebhook:
    'The URL must be public HTTPS, which is checked now and at each delivery. Events are signed ' +
    'with `signing_secret`.',
  listWebhooks: 'Newest first.',
  listWebhookEvents: 'Every event type that can be registered, and the wildcard.',
  getWebhook: 'With how its last delivery went. The signing secret is not shown again.',
  updateWebhook:
    'Give at least one field. `active: true` also resets the counter of failed events.',
  deleteWebhook: 'Nothing more is sent to it, retries included.',
  testWebhook: 'The sample has `test: true` in its data. 400 where the webhook is not active.',
  rotateWebhookSecret: 'For 24 hours the signature header has one signature by each secret.',
  listWebhookDeliveries: 'Each with its attempts.',
  retryWebhookDelivery: 'Sends the same event, with the same id, once more.',
  getThresholds: 'What counts is `thresholds`: overrides laid over the defaults of the platform.',
  putThresholds:
    'All or nothing: the resolved values must stay in order, such as green over amber over red. ' +
    'What a field that is not given has stays as it is.',
  previewThresholds:
    'Takes the body of `PUT /thresholds` and changes nothing. Each of the newest decisions about ' +
    'the Agent is evaluated twice from its recorded facts, with the present thresholds and with ' +
    'the changed ones. Limits, scores and counts are as they were at its time, so what one ' +
    'payment would have changed for the next is not told. Fail-safe decisions are left out.',
  resetThresholds: 'From then on the defaults of the platform count.',
  getHealth: '503 without the database of the gateway; `degraded` where another part is away.',
  getLiveness: 'Says nothing of what the process depends on.',
  getReadiness: '503 while starting, stopping, or without its database.',
  getJwks: 'A JSON Web Key Set (RFC 7517); retired keys stay in it.',
  getJwksAlias: 'A JSON Web Key Set (RFC 7517); retired keys stay in it.',
  getPublicKeys: 'With status and dates, as JWK and as PEM.',
  listReasonCodes: 'In the order in which an answer lists them.',
  getOpenApi: 'Generated from the table that the server itself runs by.',
  getDocs: 'Self-contained: it asks nothing of other hosts.',
};
