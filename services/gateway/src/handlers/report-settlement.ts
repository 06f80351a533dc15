import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import { present } from '../present.js';
import type { reportSettlement as body } from '../schemas/settlement.js';
import { settlementView } from '../views/settlement.js';

/** 201 for a first report, 200 for a repeated one. */
export const reportSettlement: Handler<{ body: typeof body }> = async (context, request) => {
  const { body } = request;
  const { settlement, created } = await context.clients.settlement.call.ReportSettlement(
    {
      id: newId('settlement'),
      tenant: request.tenant,
      authorizationId: body.authorization_id,
      txHash: body.tx_hash,
      chain: body.chain,
      fromAddress: body.from_address,
      toAddress: body.to_address,
      valueRaw: body.value_raw,
    },
    request.callOptions(),
  );
  return { status: created ? 201 : 200, body: settlementView(present(settlement)) };
};
