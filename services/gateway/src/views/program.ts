import type { Environment } from '@countersign/kernel/environment';
import type { Program } from '@countersign/proto/identity';
import { parsedJson } from './json.js';
import { type Money, optionalMoney } from './money.js';

export function programView<T>(program: Program, environment: Environment, money: Money<T>) {
  const { limitCeilings: ceilings, defaultCurrency: currency } = program;
  return {
    id: program.id,
    client_id: program.clientId,
    environment,
    name: program.name,
    status: program.status,
    rails: program.rails,
    verification_mode: program.verificationMode,
    default_currency: currency,
    limit_ceilings: {
      max_amount_per_transaction: optionalMoney(money, ceilings?.maxAmountPerTransaction, currency),
      max_daily_amount: optionalMoney(money, ceilings?.maxDailyAmount, currency),
      max_monthly_amount: optionalMoney(money, ceilings?.maxMonthlyAmount, currency),
    },
    fraud_triage_enabled: program.fraudTriageEnabled,
    metadata: parsedJson(program.metadataJson, {}),
    created_at: program.createdAt,
    updated_at: program.updatedAt,
  };
}
