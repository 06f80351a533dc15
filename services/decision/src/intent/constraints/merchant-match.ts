import { isRecord } from '@countersign/kernel/is-record';
import { isText, type JsonObject } from '../json-object.js';

/** By `id` if both have one, otherwise by name and website. Always exact and case-sensitive. */
export function isSameMerchant(entry: unknown, merchant: JsonObject): boolean {
  if (!isRecord(entry)) return false;
  if (isText(entry.id) && isText(merchant.id)) return entry.id === merchant.id;
  return (
    isText(entry.name) &&
    entry.name === merchant.name &&
    isText(entry.website) &&
    entry.website === merchant.website
  );
}
