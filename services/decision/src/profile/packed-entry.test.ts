import { test } from 'tap';
import { amended, denial, outcome, recorded } from '../test/profile-events.js';
import type { ProfileEntry } from './entry.js';
import { learn, type ProfileEvent } from './learn.js';
import { packEntry, unpackEntry } from './packed-entry.js';

const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
const paid = recorded(ids);
const asked = recorded(ids, { decision: 'STEP_UP', reasonCodes: ['VELOCITY_BURST'] });
const { learning } = paid.data;

const histories: Record<string, ProfileEvent[]> = {
  'a decision alone': [paid],
  'a decision with all that it teaches': [
    recorded(ids, {
      intentAnomalyScore: 0.25,
      ...(learning && {
        learning: { ...learning, viVerified: true, anomalySkipped: false, merchant: 'hash' },
      }),
    }),
  ],
  'a decline of a forged signature': [
    recorded(ids, { decision: 'DECLINE', reasonCodes: ['VI_SIGNATURE_INVALID'] }),
  ],
  'a confirmed challenge': [asked, amended({ ...ids, minute: 5 }, 'STEP_UP_CONFIRMED')],
  'a denied challenge': [asked, denial({ ...ids, minute: 5 })],
  'a challenge of a revoked agent': [asked, amended({ ...ids, minute: 5 }, 'STEP_UP_DENIED')],
  'a voided payment': [paid, amended(ids, 'VOIDED')],
  'a payment of which a part was given back': [paid, amended(ids, 'REVERSED', '4.00')],
  'a payment with an outcome': [paid, outcome({ ...ids, minute: 1 }, 'CHARGEBACK')],
  'an outcome that overtook its decision': [outcome(ids, 'SETTLED')],
};

/** What later payments are compared with is kept of a challenge alone: it may yet be approved. */
function asStored({ decided, ...entry }: ProfileEntry): ProfileEntry {
  if (!decided || decided.decision === 'STEP_UP') return { ...entry, decided };
  const { trace: _dropped, ...stored } = decided;
  return { ...entry, decided: stored };
}

for (const [what, events] of Object.entries(histories)) {
  test(`${what} is read as it was stored`, (t) => {
    let entry: ProfileEntry | null = null;
    for (const event of events) ({ entry } = learn(event, { state: null, entry }));
    if (!entry) throw new Error('nothing was learnt');
    t.strictSame(unpackEntry(packEntry(entry)), asStored(entry));
    t.end();
  });
}
