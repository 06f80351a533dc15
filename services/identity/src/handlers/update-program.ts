import { applyChange, programChange, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import { lockProgram } from '../lock.js';
import { readProgramFields } from '../program/request.js';
import { programView } from '../program/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Only the operator calls this, so the program is found by id alone. */
export function updateProgram(context: Context): Handler<'UpdateProgram'> {
  return async (request, call) => {
    const { id } = request;
    const nowMs = context.clock();
    const program = await applyChange(context, call, async (tx) => {
      await lockProgram(tx, id);
      const current = await tx.program.findUnique({ where: { id } });
      if (!current) throw refusal.programNotFound();
      const fields = readProgramFields(request, programView(current));
      const changed = await tx.program.update({
        where: { id },
        data: { ...fields, version: { increment: 1 }, updatedAt: new Date(nowMs) },
      });
      const changes = [programChange(changed)];
      await recordChanges(tx, { ...call, nowMs }, { changes, fence: true });
      return { result: changed, fencedIds: [id] };
    });
    return programView(program);
  };
}
