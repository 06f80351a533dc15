import type { Chain } from './chain.js';
import type { Settlement } from './generated/prisma/client.js';
import type { Observation } from './status.js';
import { baseUnits, type Expected, outcomeOf } from './transfer.js';

/** The columns that an observation of the chain needs. */
export type ObservedSettlement = Pick<
  Settlement,
  | 'txHash'
  | 'asset'
  | 'counterparty'
  | 'authorizedFrom'
  | 'fromAddress'
  | 'toAddress'
  | 'requiredConfirmations'
> & {
  authorizedValue: string;
  valueRaw: string | null;
  blockNumber: bigint | null;
  settledElsewhere: string;
};

/**
 * What the chain shows of a reported transaction, at the given head. Null where that is
 * inconclusive: the node lags behind a block that has been seen, a block that is deep enough is no
 * longer canonical, or the asset has been taken out of the configuration.
 */
export async function observe(
  chain: Chain,
  settlement: ObservedSettlement,
  heads: { head: bigint; highest: bigint },
): Promise<Observation | null> {
  const hash = settlement.txHash as `0x${string}`;
  const expected = expectedOf(chain, settlement);
  if (!expected) return null;
  const receipt = await chain.receipt(hash);
  if (!receipt) {
    // A lagging node does not know the block yet; that is not a reorganisation.
    if (heads.head < heads.highest) return null;
    return (await chain.isKnown(hash)) ? { kind: 'waiting' } : { kind: 'absent' };
  }
  const { block, succeeded, transfers } = receipt;
  const confirmations = Number(heads.head - block.number) + 1;
  if (confirmations < 1) return null;
  const final = confirmations >= settlement.requiredConfirmations;
  if (final && !(await chain.isCanonical(block))) return null;
  const outcome = outcomeOf(succeeded, transfers, expected);
  return { kind: 'mined', block, outcome, confirmations };
}

/** Null for an asset that has been taken out of the configuration. */
function expectedOf(chain: Chain, settlement: ObservedSettlement): Expected | null {
  const { asset, counterparty, authorizedFrom, fromAddress, toAddress, valueRaw } = settlement;
  const { authorizedValue, settledElsewhere } = settlement;
  const configured = chain.settings.assets.get(asset);
  if (!configured) return null;
  return {
    contract: configured.contract,
    counterparty,
    from: [authorizedFrom, fromAddress].filter((address) => address !== null),
    to: toAddress === null ? [] : [toAddress],
    atMost: baseUnits(authorizedValue, configured) - BigInt(settledElsewhere),
    exactly: valueRaw === null ? null : BigInt(valueRaw),
  };
}
