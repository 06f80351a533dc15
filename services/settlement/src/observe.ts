import type { Chain } from './chain.js';
import { assetOf } from './chain-settings.js';
import type { Settlement } from './generated/prisma/client.js';
import type { Observation } from './status.js';
import { baseUnits, type Expected, transferResult } from './transfer.js';

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
  | 'blockHash'
> & {
  blockNumber: string | null;
  authorizedValue: string;
  valueRaw: string | null;
  settledElsewhere: string;
};

/**
 * Observes a reported transaction at the given head. Returns null if this is inconclusive: a node
 * lags behind the highest head seen, a block with enough confirmations is no longer canonical, or
 * the asset was removed from the configuration.
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
    // A lagging node does not know the block yet, which must not be taken for a reorganisation.
    if (heads.head < heads.highest) return null;
    if (await mayStillBeIn(chain, settlement, heads.head)) return null;
    return (await chain.isKnown(hash)) ? { kind: 'waiting' } : { kind: 'absent' };
  }
  const { block, succeeded, transfers } = receipt;
  const confirmations = Number(heads.head - block.number) + 1;
  if (confirmations < 1) return null;
  const isFinal = confirmations >= settlement.requiredConfirmations;
  if (isFinal && (await chain.hashAt(block.number)) !== block.hash) return null;
  const result = transferResult(succeeded, transfers, expected);
  return { kind: 'mined', block, result, confirmations };
}

/**
 * Whether the transaction may still be in the block in which it was seen last: no other block is
 * in its place. The node that did not find it lags then, though the one with the head does not.
 */
async function mayStillBeIn(
  chain: Chain,
  { blockNumber, blockHash }: ObservedSettlement,
  head: bigint,
): Promise<boolean> {
  if (blockNumber === null || BigInt(blockNumber) > head) return false;
  const hash = await chain.hashAt(BigInt(blockNumber));
  return hash === null || hash === blockHash;
}

/** Null if the asset was removed from the configuration. */
function expectedOf(chain: Chain, settlement: ObservedSettlement): Expected | null {
  const { asset, counterparty, authorizedFrom, fromAddress, toAddress, valueRaw } = settlement;
  const { authorizedValue, settledElsewhere } = settlement;
  const configured = assetOf(chain.settings, asset);
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
