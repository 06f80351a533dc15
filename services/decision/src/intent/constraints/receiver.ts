import { isRecord } from '@countersign/kernel/is-record';
import { isAccount, isAddress } from '../caip.js';
import type { Fulfilled } from './constraint.js';

/**
 * Whether the user allowed this entry's payee to be paid at the address of the transfer. A payee's
 * name determines no address: the agent would write its own beside it. True for a card payment,
 * whose merchant the network knows.
 */
export function mayReceive(entry: unknown, fulfilled: Fulfilled): boolean {
  const { crypto } = fulfilled.examination.subject;
  if (!crypto) return true;
  if (!isRecord(entry)) return false;
  const { chain, counterparty } = crypto;
  if ('payee_address' in entry) return isAddress(entry.payee_address, counterparty);
  return isAccount(entry.id, chain, counterparty) || isFixed(counterparty, fulfilled);
}

/** By the instrument that the user signed, or by a list of addresses, which has its own judge. */
function isFixed(counterparty: string, { openInstrument, constraints }: Fulfilled): boolean {
  if (isRecord(openInstrument) && isAddress(openInstrument.payee_address, counterparty)) {
    return true;
  }
  return constraints.some(({ type }) => type === 'urn:svc:vi:allowed_counterparties');
}
