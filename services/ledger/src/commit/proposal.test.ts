import { Cipher } from '@countersign/kernel/cipher';
import { isoTime } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import type { CommitRequest } from '@countersign/proto/ledger';
import { createLog } from '@countersign/runtime/log';
import { test } from 'tap';
import { newSpender, proposalOf } from '../test/fixture.js';
import { DecisionTimes } from './decision-times.js';
import { toProposal } from './proposal.js';

const now = Date.parse('2027-05-10T12:00:00.000Z');
const log = createLog({ service: 'ledger', level: 'silent' });
const call = { environment: 'live', requestId: 'req_test', deadlineAt: now, log } as const;
const decisionTimes = new DecisionTimes(() => now);
const context = { decisionTimes, cipher: new Cipher([Buffer.alloc(32, 7)]) };

/** How a proposal that was decided `ageMs` ago is received. */
function received(ageMs: number, given: Partial<CommitRequest> = {}): string {
  const decidedAt = isoTime(now - ageMs);
  try {
    toProposal(proposalOf(newSpender(), { decidedAt, ...given }), call, context);
    return 'accepted';
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

test('only a fail-safe DECLINE may have been decided long ago', async (t) => {
  const failSafe = { reasonCodes: ['SYSTEM_FAIL_SAFE'] };
  const stepUpExpiresAt = isoTime(now + 300_000);
  const punctual = [
    { decision: 'APPROVE' },
    { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] },
    { decision: 'STEP_UP', stepUpExpiresAt, ...failSafe },
  ];
  for (const given of punctual) {
    t.equal(received(30_000, given), 'accepted', given.decision);
    t.equal(received(30_001, given), 'unavailable', given.decision);
  }
  const late = { decision: 'DECLINE', ...failSafe };
  t.equal(received(24 * 3_600_000, late), 'accepted');
  t.equal(received(-30_000, late), 'accepted');
  t.equal(received(-30_001, late), 'unavailable', 'but none was decided in the future');
});

test('a decision that is accepted costs no logger of its call', async (t) => {
  const unlogged = {
    ...call,
    get log(): never {
      throw new Error('a logger was created');
    },
  };
  const punctual = proposalOf(newSpender(), { decidedAt: isoTime(now) });
  t.doesNotThrow(() => toProposal(punctual, unlogged, context));
});

test('the data of an event is an object, or a list where it is packed', (t) => {
  const accepted = (given: Partial<CommitRequest>): string => received(0, given);
  const [object, list] = [{ eventDataJson: '{}' }, { eventDataJson: '[1]' }];
  t.equal(accepted(object), 'accepted');
  t.equal(accepted({ ...list, eventIsPacked: true }), 'accepted');
  t.equal(accepted(list), 'internal');
  t.equal(accepted({ ...object, eventIsPacked: true }), 'internal');
  t.equal(accepted({ eventDataJson: '{' }), 'internal');
  t.end();
});
