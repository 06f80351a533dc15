import { invalidField } from '@countersign/kernel/fault';
import { applyChange, principalChange, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import { lockPrincipal } from '../lock.js';
import { allowsMode } from '../principal/register.js';
import { findPrincipal, principalView } from '../principal/view.js';
import { isClosed } from '../program/closed.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Idempotent. Enrolment alone grants no authority, so no fence is needed. */
export function enrollPrincipal(context: Context): Handler<'EnrollPrincipal'> {
  return async ({ clientId, principalId, programId }, call) => {
    const nowMs = context.clock();
    const principal = await applyChange(context, call, async (tx) => {
      await lockPrincipal(tx, principalId);
      const current = await findPrincipal(tx, { id: principalId, clientId });
      if (!current) throw refusal.principalNotFoundWhileOnboarding();
      const program = await tx.program.findFirst({ where: { id: programId, clientId } });
      if (!program) throw refusal.programNotOwned(programId);
      if (current.enrolments.some((enrolment) => enrolment.programId === programId)) {
        return { result: current, fencedIds: [] };
      }
      if (isClosed(program)) throw refusal.programClosed(programId);
      if (!allowsMode(program.verificationMode, current.verificationMode)) {
        const message = `The program ${programId} only allows ${program.verificationMode}.`;
        throw invalidField('program_id', 'verification_mode_not_allowed', message);
      }
      const now = new Date(nowMs);
      await tx.enrolment.create({ data: { principalId, programId, enrolledAt: now } });
      const { version } = await tx.principal.update({
        where: { id: principalId },
        data: { version: { increment: 1 }, updatedAt: now },
      });
      const enrolments = [...current.enrolments, { programId }];
      const enrolled = { ...current, version, enrolments };
      const changes = [principalChange(enrolled)];
      await recordChanges(tx, { ...call, nowMs }, { changes, fence: false });
      return { result: enrolled, fencedIds: [] };
    });
    return principalView(principal, nowMs);
  };
}
