import type { LogEntry } from '@countersign/sdk';
import { test } from 'tap';
import { Declines } from './declines.js';
import type { Standing } from './standing.js';

const entry = {
  id: 'auth_1',
  decision: 'APPROVE',
  amount: '19.90',
  reversed_amount: '0.00',
  reason_codes: [],
} as unknown as LogEntry;

const decline = (authorizationId: string) =>
  ({ authorizationId, decision: 'DECLINE', detail: 'answered' }) as Standing;

test('a decline that was answered overrules a record that says otherwise', async (t) => {
  const declines = new Declines();
  t.match(declines.standingOf(entry), { decision: 'APPROVE', detail: null });
  declines.add(decline('auth_1'));
  t.match(declines.standingOf(entry), { decision: 'DECLINE', detail: 'answered' });
  const voided = { ...entry, decision: 'DECLINE' } as LogEntry;
  t.match(declines.standingOf(voided), { decision: 'DECLINE', detail: null }, 'as recorded');
});

test('the oldest declines are forgotten', async (t) => {
  const declines = new Declines();
  declines.add(decline('auth_1'));
  for (let number = 2; number <= 1_000; number += 1) declines.add(decline(`auth_${number}`));
  t.ok(declines.overruling(entry));
  declines.add(decline('auth_1001'));
  t.notOk(declines.overruling(entry));
  t.ok(declines.overruling({ ...entry, id: 'auth_2' }));
});
