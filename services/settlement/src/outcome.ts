import { assetCurrency } from '@countersign/kernel/currency';
import type { OutcomeReportInput } from '@countersign/proto/ledger';
import { type Asset, assetOf, type ChainSettings } from './chain-settings.js';
import { assetUnits } from './transfer.js';

export interface SettledRow {
  id: string;
  authorizationId: string;
  clientId: string;
  principalId: string;
  chain: string;
  txHash: string;
  asset: string;
  currency: string;
  /** The total of this and earlier transfers of the authorization, in base units. */
  settledRaw: string;
  outcomeId: string;
  settledAt: Date;
}

/** The SETTLED outcome of a transfer, as it is reported to the ledger. */
export function outcomeReport(
  row: SettledRow,
  chains: readonly ChainSettings[],
  reportedAt: string,
): OutcomeReportInput {
  const chain = chains.find(({ name }) => name === row.chain);
  const asset = chain && assetOf(chain, row.asset);
  return {
    outcomeId: row.outcomeId,
    authorizationId: row.authorizationId,
    outcomeType: 'SETTLED',
    reportedAt,
    reportedBy: 'INTERNAL',
    txHash: row.txHash,
    settledAt: row.settledAt.toISOString(),
    ...(chain && { chainId: String(chain.chainId) }),
    ...(asset && settled(row, asset)),
  };
}

/**
 * What has settled, as an amount of the authorization's currency if the asset is worth that. The
 * amount of another asset is evidence instead: beside the payment's currency, or without one,
 * readers would take it for money.
 */
function settled(
  { settledRaw, chain, currency }: SettledRow,
  asset: Asset,
): Pick<OutcomeReportInput, 'settledAmount' | 'settledCurrency' | 'evidenceJson'> {
  const value = assetUnits(BigInt(settledRaw), asset);
  if (assetCurrency(asset.symbol) === currency) {
    return { settledAmount: value, settledCurrency: currency };
  }
  return { evidenceJson: JSON.stringify({ chain, asset: asset.symbol, value }) };
}
