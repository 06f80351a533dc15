import type { Context } from '../context.js';
import { createAgent } from './create-agent.js';
import { createMandate } from './create-mandate.js';
import { createProgram } from './create-program.js';
import { enrollPrincipal } from './enroll-principal.js';
import { erasePersonalData } from './erase-personal-data.js';
import { findAgent } from './find-agent.js';
import { findPrincipal } from './find-principal.js';
import { getAgent } from './get-agent.js';
import { getMandate } from './get-mandate.js';
import { getPersonalData } from './get-personal-data.js';
import { getPrincipal } from './get-principal.js';
import { getProgram } from './get-program.js';
import { getSpendingFacts } from './get-spending-facts.js';
import type { IdentityHandlers } from './handler.js';
import { listAgentMandates } from './list-agent-mandates.js';
import { listAgents } from './list-agents.js';
import { listPrincipalAgents } from './list-principal-agents.js';
import { listPrograms } from './list-programs.js';
import { onboard } from './onboard.js';
import { putProfile } from './put-profile.js';
import { registerPrincipal } from './register-principal.js';
import { resolveActingPrincipal } from './resolve-acting-principal.js';
import { revokeMandate } from './revoke-mandate.js';
import { updateAgentStatus } from './update-agent-status.js';
import { updatePrincipal } from './update-principal.js';
import { updateProgram } from './update-program.js';

export function handlers(context: Context): IdentityHandlers {
  return {
    CreateProgram: createProgram(context),
    UpdateProgram: updateProgram(context),
    GetProgram: getProgram(context),
    ListPrograms: listPrograms(context),
    Onboard: onboard(context),
    RegisterPrincipal: registerPrincipal(context),
    GetPrincipal: getPrincipal(context),
    UpdatePrincipal: updatePrincipal(context),
    EnrollPrincipal: enrollPrincipal(context),
    FindPrincipal: findPrincipal(context),
    GetPersonalData: getPersonalData(context),
    PutProfile: putProfile(context),
    ErasePersonalData: erasePersonalData(context),
    ResolveActingPrincipal: resolveActingPrincipal(context),
    CreateAgent: createAgent(context),
    GetAgent: getAgent(context),
    FindAgent: findAgent(context),
    ListPrincipalAgents: listPrincipalAgents(context),
    ListAgents: listAgents(context),
    UpdateAgentStatus: updateAgentStatus(context),
    CreateMandate: createMandate(context),
    GetMandate: getMandate(context),
    ListAgentMandates: listAgentMandates(context),
    RevokeMandate: revokeMandate(context),
    GetSpendingFacts: getSpendingFacts(context),
  };
}
