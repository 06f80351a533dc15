import { isObject, isText, type JsonObject } from '../json-object.js';

/** By `id` where both have one, else by name and website: exactly, never in part or in any case. */
export function isSameMerchant(entry: unknown, merchant: JsonObject): boolean {
  if (!isObject(entry)) return false;
  if (isText(entry.id) && isText(merchant.id)) return entry.id === merchant.id;
  return (
    isText(entry.name) &&
    entry.name === merchant.name &&
    isText(entry.website) &&
    entry.website === merchant.website
  );
}
