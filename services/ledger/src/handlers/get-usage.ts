import { Decimal, plainAmount } from '@countersign/kernel/money';
import { limitWindow } from '@countersign/kernel/window';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';

const nothing = new Decimal(0);

/** Of the windows that are open now; what was used in earlier ones counts no more. */
export function getUsage(context: Context): Handlers<LedgerDefinition>['GetUsage'] {
  return async ({ mandateId }, call) => {
    const row = await context.stores[call.environment].prisma.mandateUsage.findUnique({
      where: { mandateId },
    });
    const now = limitWindow(context.clock());
    const day = row && row.day >= now.day ? row : null;
    const month = row && row.month >= now.month ? row : null;
    return {
      day: day?.day ?? now.day,
      month: month?.month ?? now.month,
      dailyAmount: plainAmount((day?.dayAmount ?? nothing).toFixed()),
      monthlyAmount: plainAmount((month?.monthAmount ?? nothing).toFixed()),
      dailyCount: Number(day?.dayCount ?? 0),
      monthlyCount: Number(month?.monthCount ?? 0),
    };
  };
}
