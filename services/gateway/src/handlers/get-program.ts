import type { Handler } from '../handler.js';
import type { programPath } from '../schemas/path.js';
import { moneyText } from '../views/money.js';
import { programView } from '../views/program.js';

export const getProgram: Handler<{ params: typeof programPath }> = async (context, request) => {
  const program = await context.clients.identity.call.GetProgram(
    { clientId: request.caller.clientId, id: request.params.program_id },
    request.callOptions(),
  );
  return { status: 200, body: programView(program, request.environment, moneyText) };
};
