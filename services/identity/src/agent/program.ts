import type { CreateAgentRequest } from '@countersign/proto/identity';
import type { Transaction } from '../db.js';
import { openPrograms } from '../program/closed.js';
import { refusal } from '../refusal.js';

type Asked = Pick<CreateAgentRequest, 'programId' | 'programOptional'>;

/** The program of a new agent, of those of its principal; null where there is and need be none. */
export async function chooseProgram(
  tx: Transaction,
  request: Asked,
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
 * Onboarding: the one named, or the only one there is. Runtime creation has no field for it and
 * takes the first enrolment that takes agents.
 */
function eligiblePrograms({ programId: named, programOptional }: Asked, programIds: string[]) {
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
