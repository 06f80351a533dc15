import { Fault } from '@countersign/kernel/fault';
import type { Signed } from '@countersign/kernel/packed-attestation';
import type {
  AuthorizationEntry,
  ConfirmStepUpResponse as LedgerAnswer,
} from '@countersign/proto/ledger';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Call } from '@countersign/runtime/grpc-types';
import { attest } from '../attestation/attest.js';
import { approvedByHuman, type HumanApproval } from '../attestation/human-approval.js';
import { startBudget } from '../budget.js';
import type { Context } from '../context.js';
import { evaluate } from '../evaluate.js';
import type { Facts } from '../facts/shape.js';
import { type Gathering, gatherFacts } from '../facts.js';
import { chosenMandate } from '../mandate-choice.js';
import { standingRefusals } from '../recheck.js';
import { seenVersions } from '../record/proposal.js';
import { incompleteRecord, isIntact, readRecord } from '../record/read-record.js';
import { sentence } from '../rules/wording.js';
import { usageFacts, withRemaining } from '../usage.js';
import type { DecisionHandlers } from './handler.js';

const maxStaleRounds = 3;

interface Confirmation {
  clientId: string;
  principalId: string;
  authorizationId: string;
  confirmedBy: string;
}

/** Evaluates again the rules that a human cannot override; then the ledger reserves the amount. */
export function confirmStepUp(context: Context): DecisionHandlers['ConfirmStepUp'] {
  return async (request, call) => {
    const { clientId, principalId } = tenantOf(request);
    const { authorizationId, confirmedBy } = request;
    const confirmation = { clientId, principalId, authorizationId, confirmedBy };
    const { gathering, mandateId, approval } = await readChallenge(context, confirmation, call);
    for (let round = 0; round <= maxStaleRounds; round += 1) {
      const { facts } = await gatherFacts(context, gathering);
      const [refusal] = standingRefusals(facts, mandateId);
      if (refusal) throw cannotConfirm(`${refusal.code}: ${sentence([refusal.detail])}`);
      const signed = await attest(context, call, approvedByHuman(approval, context.clock()));
      const answer = await confirm(context, { confirmation, facts, gathering, signed });
      if (answer.outcome === 'limits_differ') {
        const why = await limitsExceeded(context, { facts, gathering }, answer.limitCodes);
        throw cannotConfirm(`${answer.limitCodes.join(', ')}: ${why}`);
      }
      if (answer.outcome !== 'stale') return confirmed(answer, confirmation);
    }
    throw new Fault('unavailable', {
      message: 'The agent or its mandate is being changed; try again.',
    });
  };
}

interface Challenge {
  gathering: Gathering;
  /** The mandate under which it was evaluated; it can be confirmed under no other. */
  mandateId: string;
  /** Is attested when the challenge is confirmed. */
  approval: HumanApproval;
}

/** Reads the recorded challenge: its payment, and the mandate under which it was evaluated. */
async function readChallenge(
  context: Context,
  { clientId, principalId, authorizationId }: Confirmation,
  call: Call,
): Promise<Challenge> {
  const budget = startBudget(call, context.config.decisionDeadlineMs);
  const entry = await context.ledger.call.GetAuthorization(
    { tenant: { clientId, principalId }, authorizationId },
    budget.callOptions('ledger'),
  );
  assertOpen(entry);
  // What a human has seen and confirms, and what is signed then, is what was recorded.
  const record = isIntact(entry) ? readRecord(entry) : null;
  if (!record) throw cannotConfirm(whyUnread(entry));
  const { facts } = record;
  const { payment } = facts;
  return {
    gathering: { call, budget, clientId, principalId, payment },
    mandateId: entry.mandateId ?? '',
    approval: { facts, principalId, attested: entry.attestationJson !== undefined },
  };
}

function whyUnread(entry: AuthorizationEntry): string {
  return incompleteRecord(entry)
    ? "a part of its record is missing from the ledger's database; verify-log names it."
    : 'its record was changed since, or is of a later release; verify-log tells.';
}

function assertOpen({ stepUp }: AuthorizationEntry): void {
  if (!stepUp) throw cannotConfirm('the authorization asked for none.');
  if (stepUp.status === 'EXPIRED') throw cannotConfirm('the challenge has expired.');
  if (stepUp.status !== 'PENDING') throw cannotConfirm('the challenge is already answered.');
}

function confirm(
  { ledger }: Context,
  { confirmation, facts, gathering, signed }: ConfirmRequest,
): Promise<LedgerAnswer> {
  const { clientId, principalId, authorizationId, confirmedBy } = confirmation;
  return ledger.call.ConfirmStepUp(
    {
      tenant: { clientId, principalId },
      authorizationId,
      confirmedBy,
      seen: seenVersions(facts, chosenMandate(facts)),
      ...(signed && { attestationJson: JSON.stringify(signed.attestation) }),
    },
    gathering.budget.callOptions('ledger'),
  );
}

interface ConfirmRequest {
  confirmation: Confirmation;
  facts: Facts;
  gathering: Gathering;
  signed: Signed | null;
}

/**
 * In the words of a decline. What is used is read after the refusal, so a reversal in between may
 * leave more than was left.
 */
async function limitsExceeded(
  { ledger }: Context,
  { facts, gathering }: Pick<ConfirmRequest, 'facts' | 'gathering'>,
  codes: string[],
): Promise<string> {
  const mandate = chosenMandate(facts);
  if (!mandate) return 'a limit would be exceeded.';
  const asked = { mandateId: mandate.id };
  const usage = usageFacts(
    await ledger.call.GetUsage(asked, gathering.budget.callOptions('ledger')),
  );
  const { findings } = evaluate({ ...facts, limits: { codes, usage } });
  const details = findings.filter(({ code }) => codes.includes(code)).map(({ detail }) => detail);
  return withRemaining(sentence(details), mandate, usage);
}

function confirmed(
  { outcome, confirmedAt, intentCodes }: LedgerAnswer,
  { confirmedBy }: Confirmation,
): { confirmedBy: string; confirmedAt: string } {
  switch (outcome) {
    case 'confirmed':
      return { confirmedBy, confirmedAt: confirmedAt ?? '' };
    case 'intent_differs':
      throw cannotConfirm(
        `${intentCodes.join(', ')}: the intent mandate allows no further payment.`,
      );
    case 'expired':
      throw cannotConfirm('the challenge has expired.');
    default:
      throw cannotConfirm('the challenge is already answered.');
  }
}

/** The challenge stays open. */
function cannotConfirm(why: string): Fault {
  return new Fault('malformed', {
    code: 'STEP_UP_REQUIRED',
    message: `The step-up cannot be confirmed: ${why}`,
  });
}
