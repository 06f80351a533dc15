import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { whole } from './answers.js';
import { callOf, createWorld, newSpender, proposalOf, retryUnavailable } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const { handlers } = ledger;
const call = callOf(ledger);

async function commit(request: CommitRequest): Promise<CommitResponse> {
  return whole(request, await retryUnavailable(() => handlers.Commit(request, call)));
}

function agoOf(seconds: number): string {
  return new Date(Date.now() - seconds * 1_000).toISOString();
}

/** What is committed between the two steps of a given answer, by its relation to that. */
const rivals: Record<string, (given: CommitRequest) => Partial<CommitRequest>> = {
  'of the same id': ({ authorizationId }) => ({ authorizationId }),
  'of the same key': () => ({ authorizationId: newId('authorization') }),
  'of the same key, with another body': () => ({
    authorizationId: newId('authorization'),
    bodyHash: 'other',
  }),
};

for (const [name, differing] of Object.entries(rivals)) {
  test(`a given answer holds, whatever is decided meanwhile ${name}`, async (t) => {
    const spender = newSpender();
    const idempotencyKey = newId('event');
    const {
      mandateId: _mandate,
      limits: _limits,
      ...payment
    } = proposalOf(spender, {
      idempotencyKey,
      decision: 'DECLINE',
      reasonCodes: ['SYSTEM_FAIL_SAFE'],
      decidedAt: agoOf(10),
      answerTemplate: '{"decision":"DECLINE"}',
      answerGiven: true,
    });
    const rival = proposalOf(spender, {
      idempotencyKey,
      decidedAt: agoOf(5),
      ...differing(payment),
    });
    const { live } = ledger.context.committers;
    const settle = live.settle.bind(live);
    let steps = 0;
    t.intercept(live, 'settle', {
      value: async (...args: Parameters<typeof settle>) => {
        const settled = await settle(...args);
        steps += 1;
        if (steps === 1) await commit(rival);
        return settled;
      },
    });
    const { answerTemplate: answer } = payment;
    t.match(await commit(payment), { answer });
    t.ok(steps > 1, 'it was looked at again');
    const { principalId, bodyHash } = payment;
    const replay = await handlers.FindReplay({ principalId, idempotencyKey, bodyHash }, call);
    t.match(replay, { outcome: 'replayed', answer });
  });
}
