import { isRecord } from '@countersign/kernel/is-record';
import { isOptionalText, isText, type JsonObject } from '../json-object.js';

/**
 * By `id` if both have one, otherwise by name and website. Always exact and case-sensitive. An
 * entry with an unreadable id matches nothing: its user did not mean everybody of that name.
 */
export function isSameMerchant(entry: unknown, merchant: JsonObject): boolean {
  if (!isRecord(entry) || !isOptionalText(entry.id)) return false;
  if (isText(entry.id) && isText(merchant.id)) return entry.id === merchant.id;
  return (
    isText(entry.name) &&
    entry.name === merchant.name &&
    isText(entry.website) &&
    entry.website === merchant.website
  );
}
