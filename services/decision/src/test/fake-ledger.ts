import { answerMarkers } from '@countersign/kernel/answer-marker';
import { Fault } from '@countersign/kernel/fault';
import { Decimal } from '@countersign/kernel/money';
import type {
  AuthorizationEntryInput,
  CommitRequest,
  CommitResponseInput,
  ConfirmStepUpRequest,
  ConfirmStepUpResponseInput,
  FindReplayRequest,
  FindReplayResponseInput,
  LedgerDefinition,
  OutcomeReport,
  RecordOutcomesRequest,
  UsageInput,
} from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { StoredTexts } from '../record/read-record.js';
import { FakeBases } from './fake-bases.js';
import { publicAnswer } from './public-answer.js';
import { Stall } from './stall.js';

interface Kept {
  request: CommitRequest;
  /** As it is public. */
  answer: string;
}

type Named = Pick<CommitRequest, 'authorizationId' | 'idempotencyKey' | 'bodyHash'>;

/**
 * An in-memory fake of the ledger: idempotency, fences, limits and the counters of an answer. It
 * knows only one day and one month, which suffices to test how decision handles its responses.
 */
export class FakeLedger {
  readonly records = new Map<string, Kept>();
  readonly proposals: CommitRequest[] = [];
  readonly replayQuestions: FindReplayRequest[] = [];
  readonly fences = new Map<string, number>();
  readonly confirmations: ConfirmStepUpRequest[] = [];
  readonly #used = new Map<string, { amount: Decimal; count: number }>();
  /** Responses of the next commits, whatever they propose. */
  readonly forced: CommitResponseInput[] = [];
  /** Outcomes as received; the first `busy` ones are refused as unavailable. */
  readonly outcomes: Array<OutcomeReport & { clientId: string; principalId: string }> = [];
  busy = 0;
  confirmOutcome: ConfirmStepUpResponseInput = { outcome: 'confirmed', confirmedAt: 'now' };
  stepUpStatus = 'PENDING';
  readonly bases = new FakeBases();
  readonly stall = new Stall();
  refusing = false;
  /** Agents that have reached the limit of open challenges, as GetUsage reports. */
  readonly challengesFull = new Set<string>();
  /** Fails to answer FindReplay. */
  findsNoReplays = false;

  lastProposal(): CommitRequest {
    const proposal = this.proposals.at(-1);
    if (!proposal) throw new Error('nothing was proposed');
    return proposal;
  }

  textsOf(proposal: CommitRequest): StoredTexts {
    return this.bases.textsOf(proposal);
  }

  use(mandateId: string, amount: string, count = 1): void {
    const used = this.#usedOf(mandateId);
    this.#used.set(mandateId, { amount: used.amount.add(amount), count: used.count + count });
  }

  handlers(): Handlers<LedgerDefinition> {
    const unused = async (): Promise<never> => {
      throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'not asked here' });
    };
    return {
      Commit: (request) => this.#commit(request),
      FindReplay: (question) => this.#findReplay(question),
      GetUsage: async ({ mandateId, agentId, transaction }) => ({
        ...this.#usage(mandateId),
        challengesFull: agentId !== undefined && this.challengesFull.has(agentId),
        transactionUnknown: Boolean(transaction),
      }),
      GetAuthorization: async ({ authorizationId }) => this.#entry(authorizationId),
      ConfirmStepUp: async (request) => {
        this.confirmations.push(request);
        return this.confirmOutcome;
      },
      Fence: unused,
      ListAgentAuthorizations: unused,
      ListAuthorizations: unused,
      ListDecisionInputs: async (request) =>
        this.bases.inputsOf(
          [...this.records.values()].map((kept) => kept.request),
          request,
        ),
      ListPendingStepUps: unused,
      DenyStepUp: unused,
      Reverse: unused,
      RecordOutcomes: async (request) => this.#recordOutcomes(request),
      ListOutcomes: unused,
      FindOwner: unused,
      GetIntentEvidence: unused,
      ListIntentSubjects: unused,
      PutIntentSubject: unused,
      DeleteIntentSubject: unused,
    };
  }

  #recordOutcomes({ tenant, reports }: RecordOutcomesRequest) {
    if (this.busy > 0) {
      this.busy -= 1;
      throw new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'busy' });
    }
    const { clientId = '', principalId = '' } = tenant ?? {};
    for (const report of reports) this.outcomes.push({ ...report, clientId, principalId });
    return { results: reports.map(() => ({ status: 'created' })) };
  }

  async #findReplay(question: FindReplayRequest): Promise<FindReplayResponseInput> {
    this.replayQuestions.push(question);
    if (this.findsNoReplays) {
      throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'broken' });
    }
    await this.stall.wait();
    return this.#known({ ...question, authorizationId: '' }) ?? { outcome: 'absent' };
  }

  async #commit(request: CommitRequest): Promise<CommitResponseInput> {
    this.proposals.push(request);
    if (this.refusing) {
      throw new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'full' });
    }
    await this.stall.wait();
    if (!this.bases.keep(request)) return { outcome: 'basis_unknown' };
    return this.forced.shift() ?? this.#known(request) ?? this.#judge(request);
  }

  #known(request: Named): { outcome: string; answer?: string } | null {
    const { authorizationId, idempotencyKey, bodyHash } = request;
    const sameKey = [...this.records.values()].find(
      (kept) => idempotencyKey !== undefined && kept.request.idempotencyKey === idempotencyKey,
    );
    const kept = this.records.get(authorizationId) ?? sameKey;
    if (!kept) return null;
    if (kept.request.bodyHash !== bodyHash) return { outcome: 'key_reused' };
    return { outcome: 'replayed', answer: kept.answer };
  }

  #judge(request: CommitRequest): CommitResponseInput {
    const isFenced = request.seen.some(
      ({ entityId, version }) => (this.fences.get(entityId) ?? 0) > version,
    );
    if (isFenced) return { outcome: 'stale' };
    if (request.transactionGiven) return { outcome: 'transaction_unknown' };
    const codes = this.#exceeded(request);
    if (codes.join() !== request.limitCodes.join()) {
      return {
        outcome: 'limits_differ',
        limitCodes: codes,
        usage: this.#usage(request.mandateId ?? ''),
      };
    }
    if (request.decision === 'APPROVE') this.use(request.mandateId ?? '', request.amount);
    const stored = this.#fill(request);
    this.records.set(request.authorizationId, { request, answer: publicAnswer(request, stored) });
    const { answerHead, answerTail } = request;
    const answerMiddle = stored.slice(answerHead.length, stored.length - answerTail.length);
    return { outcome: 'recorded', answerMiddle };
  }

  #exceeded({ mandateId, limits, amount }: CommitRequest): string[] {
    const { amount: used, count } = this.#usedOf(mandateId ?? '');
    const total = used.add(amount);
    const over = (limit: string | undefined): boolean => limit !== undefined && total.gt(limit);
    const full = (limit: number | undefined): boolean => limit !== undefined && count >= limit;
    const codes: Array<[string, boolean]> = [
      ['DAILY_AMOUNT_EXCEEDED', over(limits?.dailyAmount)],
      ['MONTHLY_AMOUNT_EXCEEDED', over(limits?.monthlyAmount)],
      ['DAILY_COUNT_EXCEEDED', full(limits?.dailyCount)],
      ['MONTHLY_COUNT_EXCEEDED', full(limits?.monthlyCount)],
    ];
    return codes.filter(([, exceeded]) => exceeded).map(([code]) => code);
  }

  #fill(request: CommitRequest): string {
    const { mandateId, exponent, limits } = request;
    const { amount, count } = this.#usedOf(mandateId ?? '');
    const left = (limit: string | undefined): string =>
      Decimal.max(0, new Decimal(limit ?? '0').sub(amount)).toFixed(exponent);
    const values = {
      dailyAmountUsed: amount.toFixed(exponent),
      monthlyAmountUsed: amount.toFixed(exponent),
      dailyCountUsed: String(count),
      monthlyCountUsed: String(count),
      dailyAmountRemaining: left(limits?.dailyAmount),
      monthlyAmountRemaining: left(limits?.monthlyAmount),
    };
    return Object.entries(answerMarkers).reduce(
      (text, [name, marker]) => text.replaceAll(marker, values[name as keyof typeof values]),
      request.answerHead + request.answerTemplate + request.answerTail,
    );
  }

  #usedOf(mandateId: string): { amount: Decimal; count: number } {
    return this.#used.get(mandateId) ?? { amount: new Decimal(0), count: 0 };
  }

  #usage(mandateId: string): UsageInput {
    const { amount, count } = this.#usedOf(mandateId);
    return {
      day: '2026-11-21',
      month: '2026-11',
      dailyAmount: amount.toFixed(),
      monthlyAmount: amount.toFixed(),
      dailyCount: count,
      monthlyCount: count,
    };
  }

  #entry(authorizationId: string): AuthorizationEntryInput {
    const kept = this.records.get(authorizationId);
    if (!kept) throw new Fault('not_found', { code: 'NOT_FOUND', message: 'not found' });
    const { request } = kept;
    const { answer } = kept;
    const { attestation } = JSON.parse(answer) as { attestation?: object | null };
    const { decision, reasonCodes, mandateId, policyHash, inputHash } = request;
    const stepUp = { status: this.stepUpStatus, expiresAt: request.stepUpExpiresAt ?? '' };
    const isConfirmed = decision === 'STEP_UP' && stepUp.status === 'CONFIRMED';
    return {
      id: authorizationId,
      decision: isConfirmed ? 'APPROVE' : decision,
      reasonCodes,
      mandateId,
      ...this.textsOf(request),
      policyHash,
      inputHash,
      kyaScore: request.kyaScore,
      riskScore: request.riskScore,
      answer,
      ...(attestation && { attestationJson: JSON.stringify(attestation) }),
      decisionHistory: [{ decision, reasonCodes, at: request.decidedAt, by: 'engine' }],
      ...(decision === 'STEP_UP' && { stepUp }),
    };
  }
}
