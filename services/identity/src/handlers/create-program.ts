import { invalidField } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import { createOnce } from '../create-once.js';
import { readProgramFields } from '../program/request.js';
import { programView } from '../program/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

const defaultCurrency = 'USD';

export function createProgram(context: Context): Handler<'CreateProgram'> {
  return async (request, { environment }) => {
    const { prisma } = context.stores[environment];
    const { id, clientId, name } = request;
    const program = await createOnce({
      find: async () => {
        const existing = await prisma.program.findUnique({ where: { id } });
        if (existing && existing.clientId !== clientId) throw refusal.idInUse(id);
        return existing;
      },
      create: () => {
        if (request.rails.length === 0) {
          throw invalidField('rails', 'too_small', 'rails must name card, crypto or both.');
        }
        const fields = readProgramFields(request, { defaultCurrency });
        const now = new Date(context.clock());
        return prisma.program.create({
          data: { ...fields, id, clientId, name, createdAt: now, updatedAt: now },
        });
      },
      refuse: () => refusal.idInUse(id),
    });
    return programView(program);
  };
}
