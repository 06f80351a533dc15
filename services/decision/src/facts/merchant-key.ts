import { sha256Hex } from '@countersign/kernel/canonical';
import { comparedAddress } from '../rules/counterparty.js';
import type { PaymentFacts } from './shape.js';

/** 128 bits in hex: short, and keeps names out of profiles. */
const keyLength = 32;

/**
 * A key by which payees are compared: the counterparty of a transfer, else the merchant's id, else
 * its name, normalised in case, width and spacing. Null if the payment names no payee.
 */
export function merchantKey({ crypto, merchantId, merchantName }: PaymentFacts): string | null {
  if (crypto) return keyOf('counterparty', comparedAddress(crypto.counterparty));
  if (merchantId !== null) return keyOf('id', merchantId);
  const name = comparedName(merchantName ?? '');
  return name === '' ? null : keyOf('name', name);
}

function keyOf(kind: 'counterparty' | 'id' | 'name', value: string): string {
  return sha256Hex(`${kind}:${value}`).slice(0, keyLength);
}

function comparedName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
