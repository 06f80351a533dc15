import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { principalRequest, programRequest, providerVerification } from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const day = 24 * 3_600_000;
const running = await startIdentity(root);
const { call, clock } = running;
const clientId = newId('client');
const program = await call.CreateProgram(programRequest(clientId));
const attestedOnly = await call.CreateProgram(
  programRequest(clientId, { verificationMode: 'client_attested' }),
);
const foreign = await call.CreateProgram(programRequest(newId('client')));
const register = (given = {}, programIds = [program.id]) =>
  call.RegisterPrincipal(principalRequest(clientId, programIds, given));

test('a client_attested principal is VERIFIED at once; programs keep their order', async (t) => {
  const principal = await register({}, [program.id, attestedOnly.id, program.id]);
  t.match(principal, {
    verificationStatus: 'VERIFIED',
    riskTier: 'LOW',
    programIds: [program.id, attestedOnly.id],
    version: 1,
  });
  t.equal(principal.verificationSession, undefined);
  t.same(await call.GetPrincipal({ id: principal.id, clientId }), principal);
  t.equal(
    await refusalOf(call.GetPrincipal({ id: principal.id, clientId: newId('client') })),
    'not_found PRINCIPAL_NOT_FOUND',
  );
  t.same(await call.FindPrincipal({ id: principal.id }), principal, 'the operator has no more');
  t.equal(
    await refusalOf(call.FindPrincipal({ id: newId('principal') })),
    'not_found PRINCIPAL_NOT_FOUND',
  );
});

test('a platform_provider principal is PENDING for a day, then EXPIRED', async (t) => {
  const principal = await register({ verification: providerVerification });
  const session = principal.verificationSession;
  t.match(principal, { verificationStatus: 'PENDING' });
  t.match(session, { type: 'KYC', status: 'REQUIRES_INPUT', provider: 'hosted' });
  t.equal(session?.url, `https://api.example.com/verification/${session?.id}`);
  t.equal(Date.parse(session?.expiresAt ?? '') - Date.parse(principal.createdAt), day);
  clock.offsetMs = day + 1_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  const later = await call.GetPrincipal({ id: principal.id, clientId });
  t.equal(later.verificationStatus, 'EXPIRED');
  t.equal(later.verificationSession?.status, 'EXPIRED');
  t.equal(
    await refusalOf(
      call.UpdatePrincipal({
        verificationSessionId: session?.id ?? '',
        verificationStatus: 'VERIFIED',
      }),
    ),
    'conflict CONFLICT',
    'a result after the end of the session is refused',
  );
  const reopened = await call.UpdatePrincipal({
    id: principal.id,
    verificationStatus: 'PENDING',
  });
  t.match(reopened, {
    verificationStatus: 'PENDING',
    verificationSession: { status: 'REQUIRES_INPUT' },
  });
});

test('a verification that is opened again has a new session, and the former is over', async (t) => {
  const { id, ...registered } = await register({ verification: providerVerification });
  const former = { verificationSessionId: registered.verificationSession?.id ?? '' };
  await call.UpdatePrincipal({ ...former, verificationStatus: 'FAILED' });
  const reopened = await call.UpdatePrincipal({ id, verificationStatus: 'PENDING' });
  const session = reopened.verificationSession;
  t.match(session, { type: 'KYC', provider: 'hosted', status: 'REQUIRES_INPUT' });
  t.not(session?.id, former.verificationSessionId);
  t.equal(session?.url, `https://api.example.com/verification/${session?.id}`);
  t.equal(Date.parse(session?.expiresAt ?? '') - Date.parse(session?.createdAt ?? ''), day);
  const again = await call.UpdatePrincipal({ id, verificationStatus: 'PENDING' });
  t.same(again, reopened, 'a repetition opens no other');

  const late = (verificationStatus: string) =>
    refusalOf(call.UpdatePrincipal({ ...former, verificationStatus }));
  for (const result of ['VERIFIED', 'FAILED']) t.equal(await late(result), 'conflict CONFLICT');
  t.same(await call.GetPrincipal({ id, clientId }), reopened);
  const result = { verificationSessionId: session?.id, verificationStatus: 'VERIFIED' };
  t.match(await call.UpdatePrincipal(result), {
    verificationStatus: 'VERIFIED',
    verificationSession: { id: session?.id, status: 'VERIFIED' },
  });
  t.equal(await late('VERIFIED'), 'conflict CONFLICT', 'also where the results agree');
});

test('a session that is opened again is the newest, whatever the clock says', async (t) => {
  const { id, verificationSession: former } = await register({
    verification: providerVerification,
  });
  await call.UpdatePrincipal({ id, verificationStatus: 'FAILED' });
  clock.offsetMs = -60_000;
  t.teardown(() => {
    clock.offsetMs = 0;
  });
  const { verificationSession } = await call.UpdatePrincipal({ id, verificationStatus: 'PENDING' });
  t.match(verificationSession, { status: 'REQUIRES_INPUT' });
  t.not(verificationSession?.id, former?.id);
});

test('what the Client attested gets no session when the operator doubts it', async (t) => {
  const { id } = await register();
  const doubted = await call.UpdatePrincipal({ id, verificationStatus: 'PENDING' });
  t.equal(doubted.verificationStatus, 'PENDING');
  t.equal(doubted.verificationSession, undefined);
});

test('a profile is replaced as a whole, and what is missing is refused', async (t) => {
  const principalId = (await register({ stepUp: { method: 'sms' } })).id;
  const profile = { displayName: 'Ada', email: 'ada@example.org' };
  const stepUp = { method: 'sms', phone: '+14155550188' };
  t.match(await call.PutProfile({ principalId, profile, stepUp }), { profile, stepUp });
  const put = (given: object) => refusalOf(call.PutProfile({ principalId, profile, ...given }));
  t.equal(await put({ profile: null }), 'invalid VALIDATION_ERROR profile:required');
  t.equal(
    await put({ stepUp: { method: 'sms' } }),
    'invalid VALIDATION_ERROR step_up.phone:invalid_phone_format',
    'the phone of before does not count',
  );
  t.equal(await put({ principalId: newId('principal') }), 'not_found PRINCIPAL_NOT_FOUND');
  t.match(await call.GetPersonalData({ principalId }), { profile, stepUp });
  const without = await call.PutProfile({ principalId, profile });
  t.equal(without.stepUp, undefined);
  t.equal(without.profile?.phone, undefined);
});

test('each refusal of a registration has its own code', async (t) => {
  t.equal(await refusalOf(register({}, [foreign.id])), 'invalid program_not_owned');
  t.equal(await refusalOf(register({}, [newId('program')])), 'invalid program_not_owned');
  t.equal(
    await refusalOf(register({ verification: providerVerification }, [attestedOnly.id])),
    'invalid VALIDATION_ERROR verification.mode:verification_mode_not_allowed',
  );
  t.equal(
    await refusalOf(register({ verification: { type: 'KYC', mode: 'client_attested' } })),
    'invalid VALIDATION_ERROR verification.attestation:attestation_required',
  );
  t.equal(
    await refusalOf(register({ stepUp: { method: 'sms', phone: '0155' } })),
    'invalid VALIDATION_ERROR step_up.phone:invalid_phone_format',
  );
  t.match(await refusalOf(register({}, [])), /program_ids:too_small/);
  t.match(await refusalOf(register({ principalKind: 'robot' })), /principal_kind:invalid_value/);
  await register({ clientCustomerRef: 'caf\u00e9' });
  t.equal(
    await refusalOf(register({ clientCustomerRef: 'cafe\u0301' })),
    'conflict duplicate_client_customer_ref',
    'different Unicode forms of a reference are equal',
  );
});

test('a reference is unique per client, also under concurrency', async (t) => {
  const results = await Promise.all(
    Array.from({ length: 6 }, () => refusalOf(register({ clientCustomerRef: 'at-once' }))),
  );
  t.equal(results.filter((result) => result === 'answered').length, 1);
  t.equal(
    results.filter((result) => result === 'conflict duplicate_client_customer_ref').length,
    5,
  );
  const other = newId('client');
  const theirs = await call.CreateProgram(programRequest(other));
  const request = principalRequest(other, [theirs.id], { clientCustomerRef: 'at-once' });
  t.equal(await refusalOf(call.RegisterPrincipal(request)), 'answered');
});

test('registration is idempotent by id, and only for one client', async (t) => {
  const request = principalRequest(clientId, [program.id], { clientCustomerRef: 'again' });
  const [first, second] = await Promise.all([
    call.RegisterPrincipal(request),
    call.RegisterPrincipal(request),
  ]);
  t.same(second, first);
  t.same(await call.RegisterPrincipal(request), first);
  const stolen = { ...request, clientId: newId('client') };
  t.equal(await refusalOf(call.RegisterPrincipal(stolen)), 'conflict CONFLICT');
});

test('step-up by SMS uses the phone of the profile by default', async (t) => {
  const { id: principalId, stepUp } = await register({ stepUp: { method: 'sms' } });
  t.same(stepUp?.phone, '+14155550123');
  t.equal((await register()).stepUp, undefined);

  const held = await call.GetPersonalData({ principalId });
  t.equal(held.stepUp?.phone, undefined, 'what was not given is not told');
  const profile = { ...held.profile, phone: '+14155550188' };
  const put = await call.PutProfile({ principalId, profile, stepUp: held.stepUp });
  t.equal(put.stepUp?.phone, undefined);
  const moved = await call.GetPrincipal({ id: principalId, clientId });
  t.equal(moved.stepUp?.phone, '+14155550188', 'codes follow the profile');
});

test('enrolment is idempotent and returns all programs', async (t) => {
  const { id } = await register();
  const request = { clientId, principalId: id, programId: attestedOnly.id };
  const enrolled = await call.EnrollPrincipal(request);
  t.same(enrolled.programIds, [program.id, attestedOnly.id]);
  t.equal(enrolled.version, 2);
  t.same(await call.EnrollPrincipal(request), enrolled);
  t.equal(
    await refusalOf(call.EnrollPrincipal({ ...request, programId: foreign.id })),
    'invalid program_not_owned',
  );
  t.equal(
    await refusalOf(call.EnrollPrincipal({ ...request, clientId: newId('client') })),
    'not_found principal_not_found',
  );
  const pending = await register({ verification: providerVerification });
  t.equal(
    await refusalOf(call.EnrollPrincipal({ ...request, principalId: pending.id })),
    'invalid VALIDATION_ERROR program_id:verification_mode_not_allowed',
  );
});

test('the provider, the client and the operator can resolve a verification', async (t) => {
  const pending = () => register({ verification: providerVerification });
  const one = await pending();
  const sessionId = one.verificationSession?.id ?? '';
  const result = { verificationSessionId: sessionId, verificationStatus: 'VERIFIED' };
  const verified = await call.UpdatePrincipal(result);
  t.match(verified, {
    id: one.id,
    verificationStatus: 'VERIFIED',
    verificationSession: { status: 'VERIFIED' },
    version: 2,
  });
  t.equal((await call.UpdatePrincipal(result)).version, 2, 'a repeated result is no change');
  t.equal(
    await refusalOf(call.UpdatePrincipal({ ...result, verificationStatus: 'FAILED' })),
    'conflict CONFLICT',
  );

  const two = await pending();
  const simulate = { id: two.id, verificationStatus: 'FAILED' };
  t.equal(
    await refusalOf(call.UpdatePrincipal({ ...simulate, clientId: newId('client') })),
    'not_found principal_not_found',
  );
  t.match(await call.UpdatePrincipal({ ...simulate, clientId }), {
    verificationStatus: 'FAILED',
    verificationSession: { status: 'FAILED' },
  });
  const operated = { id: two.id, verificationStatus: 'VERIFIED', riskTier: 'HIGH' };
  t.match(await call.UpdatePrincipal(operated), {
    verificationStatus: 'VERIFIED',
    riskTier: 'HIGH',
    version: 3,
  });
  t.equal(
    await refusalOf(call.UpdatePrincipal({ id: newId('principal'), riskTier: 'LOW' })),
    'not_found PRINCIPAL_NOT_FOUND',
  );
  t.match(
    await refusalOf(call.UpdatePrincipal({ id: two.id, riskTier: 'NONE' })),
    /risk_tier:invalid_value/,
  );
});

test('only the operator changes a result, and a session only its own Principal', async (t) => {
  const one = await register({ verification: providerVerification });
  const other = await register({ verification: providerVerification });
  const verificationSessionId = one.verificationSession?.id ?? '';
  const mixed = { id: other.id, verificationSessionId, verificationStatus: 'VERIFIED' };
  t.match(await refusalOf(call.UpdatePrincipal(mixed)), /^not_found /);
  for (const { id } of [one, other]) {
    const { verificationStatus } = await call.GetPrincipal({ id, clientId });
    t.equal(verificationStatus, 'PENDING');
  }
  await call.UpdatePrincipal({ verificationSessionId, verificationStatus: 'FAILED' });
  const verified = { id: one.id, verificationStatus: 'VERIFIED' };
  t.equal(await refusalOf(call.UpdatePrincipal({ ...verified, clientId })), 'conflict CONFLICT');
  t.match(await call.UpdatePrincipal(verified), { verificationStatus: 'VERIFIED' });
});
