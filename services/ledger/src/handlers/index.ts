import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Call, Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { databaseFault } from '../failure.js';
import { commit } from './commit.js';
import { confirmStepUp } from './confirm-step-up.js';
import { deleteSubject } from './delete-intent-subject.js';
import { denyStepUp } from './deny-step-up.js';
import { fence } from './fence.js';
import { findOwner } from './find-owner.js';
import { findReplay } from './find-replay.js';
import { getAuthorization } from './get-authorization.js';
import { getEvidence } from './get-intent-evidence.js';
import { getUsage } from './get-usage.js';
import { listAgentAuthorizations } from './list-agent-authorizations.js';
import { listAuthorizations } from './list-authorizations.js';
import { listDecisionInputs } from './list-decision-inputs.js';
import { listSubjects } from './list-intent-subjects.js';
import { listOfAuthorization } from './list-outcomes.js';
import { listPendingStepUps } from './list-pending-step-ups.js';
import { putSubject } from './put-intent-subject.js';
import { recordReports } from './record-outcomes.js';
import { reverse } from './reverse.js';

type Answer<Request, Response> = (request: Request, call: Call) => Promise<Response>;

export function createHandlers(context: Context): Handlers<LedgerDefinition> {
  return {
    Commit: translated(commit(context)),
    FindReplay: translated(findReplay(context)),
    Fence: translated(fence(context)),
    GetAuthorization: translated(getAuthorization(context)),
    ListAgentAuthorizations: translated(listAgentAuthorizations(context)),
    ListAuthorizations: translated(listAuthorizations(context)),
    ListDecisionInputs: translated(listDecisionInputs(context)),
    GetUsage: translated(getUsage(context)),
    ListPendingStepUps: translated(listPendingStepUps(context)),
    ConfirmStepUp: translated(confirmStepUp(context)),
    DenyStepUp: translated(denyStepUp(context)),
    Reverse: translated(reverse(context)),
    RecordOutcomes: translated(recordReports(context)),
    ListOutcomes: translated(listOfAuthorization(context)),
    FindOwner: translated(findOwner(context)),
    GetIntentEvidence: translated(getEvidence(context)),
    ListIntentSubjects: translated(listSubjects(context)),
    PutIntentSubject: translated(putSubject(context)),
    DeleteIntentSubject: translated(deleteSubject(context)),
  };
}

/**
 * Converts database failures to faults, `unavailable` if the database is down or busy. They are
 * logged here, as the dispatcher takes a fault for a refusal; those of a batch have been already.
 */
function translated<Request, Response>(
  answer: Answer<Request, Response>,
): Answer<Request, Response> {
  return async (request, call) => {
    try {
      return await answer(request, call);
    } catch (error) {
      const fault = databaseFault(error);
      if (fault !== error) call.log.warn({ err: fault }, 'call could not be carried out');
      throw fault;
    }
  };
}
