import type { Context } from '../context.js';
import { programView } from '../program/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

export function getProgram(context: Context): Handler<'GetProgram'> {
  return async ({ id, clientId }, { environment }) => {
    const { prisma } = context.stores[environment];
    const program = await prisma.program.findFirst({ where: { id, clientId } });
    if (!program) throw refusal.programNotFound();
    return programView(program);
  };
}
