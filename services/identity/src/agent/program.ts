import type { CreateAgentRequest } from '@countersign/proto/identity';
import type { Transaction } from '../db.js';
import { openPrograms } from '../program/closed.js';
import { refusal } from '../refusal.js';

type ProgramChoice = Pick<CreateAgentRequest, 'programId' | 'programOptional'>;

/** Chooses the program of a new agent among those of its principal; null if it has none. */
export async function chooseProgram(
  tx: Transaction,
  request: ProgramChoice,
  programIds: string[],
): Promise<string | null> {
  const eligible = eligiblePrograms(request, programIds);
  const [first] = eligible;
  if (first === undefined) return null;
  const [open] = await openPrograms(tx, eligible);
  if (open === undefined) throw refusal.programClosed(first);
  return open;
}

/**
 * The onboarding API takes the named program, or the only one. The runtime API cannot name one and
 * takes the first enrolment whose program is not closed.
 */
function eligiblePrograms(
  { programId: named, programOptional }: ProgramChoice,
  programIds: string[],
) {
  if (named !== undefined) {
    if (programIds.includes(named)) return [named];
    throw refusal.principalNotInProgram(`The principal is not enrolled in the program ${named}.`);
  }
  if (programOptional || programIds.length === 1) return programIds;
  const count = programIds.length;
  throw refusal.principalNotInProgram(
    `program_id is required: the principal is enrolled in ${count} programs.`,
  );
}
