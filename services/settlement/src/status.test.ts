import { test } from 'tap';
import { checkPauseMs, nextTransition, type Observation, type SettlementState } from './status.js';

const now = Date.parse('2026-03-02T00:00:00Z');
const hour = 3_600_000;
const block = { number: 100n, hash: '0xaa' };

function state(over: Partial<SettlementState> = {}): SettlementState {
  const createdAt = new Date(now - hour);
  return { status: 'SUBMITTED', requiredConfirmations: 3, createdAt, lastSeenAt: null, ...over };
}

function mined(confirmations: number, failed?: 'REVERTED' | 'TRANSFER_MISMATCH'): Observation {
  const result = failed
    ? { kind: 'failed' as const, reason: failed }
    : { kind: 'transferred' as const, transferredRaw: 5n };
  return { kind: 'mined', block, result, confirmations };
}

const table: Array<[what: string, state: SettlementState, observation: Observation, step: object]> =
  [
    ['not known yet', state(), { kind: 'absent' }, { status: 'SUBMITTED', seen: false }],
    ['not in a block yet', state(), { kind: 'waiting' }, { status: 'SUBMITTED', seen: true }],
    ['mined', state(), mined(1), { status: 'PENDING', confirmations: 1, block }],
    ['short of one confirmation', state({ status: 'PENDING' }), mined(2), { status: 'PENDING' }],
    [
      'confirmed',
      state({ status: 'PENDING' }),
      mined(3),
      { status: 'SETTLED', transferredRaw: 5n },
    ],
    ['confirmed when it is first seen', state(), mined(9), { status: 'SETTLED', confirmations: 9 }],
    [
      'removed by a reorganisation',
      state({ status: 'PENDING', lastSeenAt: new Date(now - hour) }),
      { kind: 'absent' },
      { status: 'SUBMITTED', confirmations: 0, block: null },
    ],
    [
      'reverted',
      state(),
      mined(1, 'REVERTED'),
      { status: 'FAILED', failureReason: 'REVERTED', isProvisional: true },
    ],
    [
      'reverted, and confirmed',
      state({ status: 'FAILED' }),
      mined(3, 'REVERTED'),
      { status: 'FAILED', failureReason: 'REVERTED', isProvisional: false },
    ],
    [
      'mined with the transfer after it had reverted',
      state({ status: 'FAILED' }),
      mined(1),
      { status: 'PENDING', failureReason: null, isProvisional: false },
    ],
    [
      'a different transfer',
      state({ status: 'PENDING' }),
      mined(3, 'TRANSFER_MISMATCH'),
      { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH', isProvisional: false },
    ],
    [
      'never seen for a day',
      state({ createdAt: new Date(now - 24 * hour) }),
      { kind: 'absent' },
      { status: 'FAILED', failureReason: 'NOT_FOUND_TIMEOUT', isProvisional: false },
    ],
    [
      'last seen within a day',
      state({ createdAt: new Date(now - 48 * hour), lastSeenAt: new Date(now - 23 * hour) }),
      { kind: 'absent' },
      { status: 'SUBMITTED' },
    ],
    [
      'unmined for more than a day',
      state({ createdAt: new Date(now - 48 * hour) }),
      { kind: 'waiting' },
      { status: 'SUBMITTED' },
    ],
  ];

for (const [what, from, observation, step] of table) {
  test(`a transaction that is ${what}`, async (t) => {
    t.match(nextTransition(from, observation, now), step);
  });
}

test('a transaction that is not mined is checked less and less often', async (t) => {
  t.equal(checkPauseMs('SUBMITTED', 0, 4_000), 4_000);
  t.equal(checkPauseMs('SUBMITTED', 60_000, 4_000), 7_000);
  t.equal(checkPauseMs('SUBMITTED', 20 * hour, 4_000), 60_000);
  t.equal(checkPauseMs('PENDING', 20 * hour, 4_000), 4_000);
  t.equal(checkPauseMs('SUBMITTED', 20 * hour, 90_000), 90_000, 'not more often than configured');
  t.equal(checkPauseMs('SUBMITTED', -hour, 4_000), 4_000, 'nor if it is dated in the future');
});
