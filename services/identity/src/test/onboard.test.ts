import { newId } from '@countersign/kernel/id';
import type { OnboardRequestInput } from '@countersign/proto/identity';
import root, { test } from 'tap';
import {
  agentRequest,
  createAgentFixture,
  mandateRequest,
  onboardRequest,
  principalRequest,
  programRequest,
  providerVerification,
} from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const { call, context, ledger } = await startIdentity(root);
const clientId = newId('client');
const program = await call.CreateProgram(programRequest(clientId, { rails: ['card'] }));
const second = await call.CreateProgram(programRequest(clientId));
const { prisma } = context.stores.sandbox;
const rows = async () => ({
  principals: await prisma.principal.count({ where: { clientId } }),
  profiles: await prisma.profile.count(),
  enrolments: await prisma.enrolment.count(),
  sessions: await prisma.verificationSession.count(),
  agents: await prisma.agent.count({ where: { clientId } }),
  mandates: await prisma.mandate.count({ where: { clientId } }),
});

test('principal, agent and mandate are created together', async (t) => {
  const request = onboardRequest(clientId, [program.id]);
  const made = await call.Onboard(request);
  t.has(made, {
    principal: { id: request.principal?.id, programIds: [program.id], version: 1 },
    agent: {
      id: request.agent?.id,
      programId: program.id,
      didMethod: 'key',
      status: 'ACTIVE',
      trustLevel: 'REGISTERED',
      capabilities: ['PURCHASE'],
      version: 1,
    },
    mandate: {
      id: request.mandate?.id,
      programId: program.id,
      status: 'ACTIVE',
      rails: ['card'],
      maxAmountPerTransaction: '100.00',
      maxDailyAmount: '500.00',
      version: 1,
    },
  });
  t.match(made.agent?.did, /^did:key:z6Mk/);
  t.match(made.mandate?.mandateHash, /^sha256:[0-9a-f]{64}$/);
  t.equal(ledger.versionOf(made.agent?.id ?? ''), undefined, 'a new agent needs no fence');
  t.same(await call.Onboard(request), made, 'a repeated call returns the same entities');
  const stolen = { ...request, principal: { ...request.principal, clientId: newId('client') } };
  t.equal(await refusalOf(call.Onboard(stolen)), 'conflict CONFLICT');
  const { mandateId } = await createAgentFixture(call);
  const theirs = { ...request, mandate: { ...request.mandate, id: mandateId } };
  t.equal(await refusalOf(call.Onboard(theirs)), 'conflict CONFLICT', "another's mandate");
});

test('the three parts belong together, whatever else their requests name', async (t) => {
  const theirs = await createAgentFixture(call);
  const request = onboardRequest(clientId, [second.id]);
  const { principal, agent, mandate } = await call.Onboard({
    ...request,
    agent: { ...request.agent, clientId: theirs.clientId, principalId: theirs.principalId },
    mandate: { ...request.mandate, clientId: theirs.clientId, agentId: theirs.agentId },
  });
  t.match(agent, { clientId, principalId: principal?.id });
  t.match(mandate, { clientId, principalId: principal?.id, agentId: agent?.id });
});

test('two identical concurrent calls create one of each', async (t) => {
  const before = await rows();
  const request = onboardRequest(clientId, [program.id]);
  const [one, two] = await Promise.all([call.Onboard(request), call.Onboard(request)]);
  t.same(one, two);
  t.equal((await rows()).principals, before.principals + 1);
});

test('if one part is refused, nothing is created', async (t) => {
  const before = await rows();
  const good = onboardRequest(clientId, [program.id]);
  const attempts = [
    [
      { ...good, mandate: { ...good.mandate, maxAmountPerTransaction: '0' } },
      'invalid VALIDATION_ERROR mandate.limits.max_amount_per_transaction:not_positive',
    ],
    [
      {
        ...good,
        mandate: {
          ...good.mandate,
          rails: ['crypto'],
          crypto: { chains: ['base'], assets: ['USDC'] },
        },
      },
      'invalid rail_not_enabled',
    ],
    [
      { ...good, agent: { ...good.agent, programId: second.id } },
      'invalid principal_not_in_program',
    ],
    [
      { ...good, principal: { ...good.principal, programIds: [program.id, second.id] } },
      'invalid principal_not_in_program',
    ],
    [
      {
        ...good,
        principal: {
          ...good.principal,
          verification: { type: 'KYC', mode: 'client_attested' },
        },
      },
      'invalid VALIDATION_ERROR principal.verification.attestation:attestation_required',
    ],
  ] satisfies Array<[OnboardRequestInput, string]>;
  for (const [request, expected] of attempts) {
    t.equal(await refusalOf(call.Onboard(request)), expected);
  }
  t.same(await rows(), before);
  t.equal(await refusalOf(call.Onboard(good)), 'answered', 'the ids can still be used');
});

test('a principal that a provider verifies is onboarded with a session', async (t) => {
  const request = onboardRequest(clientId, [program.id]);
  const made = await call.Onboard({
    ...request,
    principal: { ...request.principal, verification: providerVerification },
  });
  t.equal(made.principal?.verificationStatus, 'PENDING');
  t.equal(made.principal?.verificationSession?.status, 'REQUIRES_INPUT');
});

test('an agent gets the only program of its principal, or must name one of several', async (t) => {
  const register = (programIds: string[]) =>
    call.RegisterPrincipal(principalRequest(clientId, programIds));
  const single = await register([program.id]);
  const several = await register([second.id, program.id]);
  const create = (principalId: string, given = {}) =>
    call.CreateAgent(agentRequest(clientId, principalId, given));
  t.equal((await create(single.id)).programId, program.id);
  t.equal(await refusalOf(create(several.id)), 'invalid principal_not_in_program');
  t.equal((await create(several.id, { programId: program.id })).programId, program.id);
  t.equal(
    await refusalOf(create(single.id, { programId: second.id })),
    'invalid principal_not_in_program',
  );
  t.equal(
    (await create(several.id, { programOptional: true })).programId,
    second.id,
    'the runtime API takes the first enrolment',
  );
  t.equal(
    await refusalOf(create(newId('principal'))),
    'not_found principal_not_found',
    'the onboarding API has its own code',
  );
  t.equal(
    await refusalOf(create(newId('principal'), { programOptional: true })),
    'not_found PRINCIPAL_NOT_FOUND',
  );
  const listed = await call.ListPrincipalAgents({ clientId, principalId: several.id });
  t.equal(listed.total, 2);
  t.equal(
    await refusalOf(
      call.ListPrincipalAgents({ clientId: newId('client'), principalId: several.id }),
    ),
    'not_found principal_not_found',
  );
});

test('a closed program accepts no new principals or agents, a paused one does', async (t) => {
  const closing = await call.CreateProgram(programRequest(clientId));
  const within = await call.RegisterPrincipal(principalRequest(clientId, [closing.id]));
  const both = await call.RegisterPrincipal(principalRequest(clientId, [closing.id, second.id]));
  const outside = await call.RegisterPrincipal(principalRequest(clientId, [second.id]));
  const agent = (principalId: string, given = {}) =>
    call.CreateAgent(agentRequest(clientId, principalId, given));
  const enroll = (principalId: string) =>
    call.EnrollPrincipal({ clientId, principalId, programId: closing.id });
  await call.UpdateProgram({ id: closing.id, status: 'CLOSED' });
  const refused = {
    'a registration': () =>
      call.RegisterPrincipal(principalRequest(clientId, [second.id, closing.id])),
    'an enrolment': () => enroll(outside.id),
    'an onboarding': () => call.Onboard(onboardRequest(clientId, [closing.id])),
    'an agent that inherits it': () => agent(within.id),
    'an agent that names it': () => agent(both.id, { programId: closing.id }),
    'an agent of the runtime plane': () => agent(within.id, { programOptional: true }),
  };
  for (const [what, ask] of Object.entries(refused)) {
    t.equal(await refusalOf(ask()), 'invalid program_closed', what);
  }
  t.equal((await agent(both.id, { programOptional: true })).programId, second.id, 'the open one');
  t.same((await enroll(within.id)).programIds, [closing.id], 'existing enrolments remain');
  await call.UpdateProgram({ id: closing.id, status: 'PAUSED' });
  t.equal((await agent(within.id)).programId, closing.id);
  t.ok((await enroll(outside.id)).programIds.includes(closing.id));
});

test('a mandate for an unknown agent is refused with AGENT_NOT_FOUND', async (t) => {
  const request = mandateRequest(newId('client'), newId('agent'));
  t.equal(await refusalOf(call.CreateMandate(request)), 'not_found AGENT_NOT_FOUND');
});
