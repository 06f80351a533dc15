import { isRecord } from '@countersign/kernel/is-record';
import { disclosedList } from '../disclosures.js';
import { isCount, isText, type JsonObject } from '../json-object.js';
import { isAssignable, type Line } from './assignment.js';
import { type Fulfilled, type Judge, type Problem, violated } from './constraint.js';

/** Quantity of each product in the cart. */
type Cart = ReadonlyMap<string, number>;

/**
 * Which products may be in the cart, and how many. Not checked if the checkout is not presented.
 */
export const lineItems: Judge = (body, fulfilled) => {
  if (!fulfilled.checkout) return null;
  const { match_mode: mode = 'minimum' } = body;
  const entries = readEntries(body, fulfilled);
  if (!entries || (mode !== 'minimum' && mode !== 'exact')) {
    return violated(
      'line_items needs a valid match_mode, and items with id, acceptable_items and quantity',
    );
  }
  const cart = readCart(fulfilled.checkout.lineItems);
  if (!cart) return violated('the checkout needs line_items with a product and a quantity each');
  const undisclosed = entries.filter(
    ({ products, isWildcard }) => !isWildcard && products.size === 0,
  );
  if (undisclosed.length === entries.length || (mode === 'exact' && undisclosed.length > 0)) {
    const detail = 'no acceptable item of a line of the checkout mandate is disclosed';
    return { code: 'VI_DISCLOSURE_INCOMPLETE', detail };
  }
  return quantityProblem(entries, cart) ?? (mode === 'exact' ? coverProblem(entries, cart) : null);
};

function readEntries({ items }: JsonObject, fulfilled: Fulfilled): Line[] | null {
  if (!Array.isArray(items) || items.length === 0) return null;
  const entries = items.map((item) => readLine(item, fulfilled));
  return entries.every((entry) => entry !== null) ? entries : null;
}

function readLine(item: unknown, { disclosures }: Fulfilled): Line | null {
  if (!isRecord(item) || !isText(item.id) || !Array.isArray(item.acceptable_items)) return null;
  const { quantity, acceptable_items: acceptable } = item;
  if (!isCount(quantity) || quantity === 0) return null;
  const products = new Set<string>();
  for (const product of disclosedList(acceptable, disclosures).entries) {
    if (!isRecord(product) || !isText(product.id) || !isText(product.title)) return null;
    products.add(product.id);
  }
  return { products, isWildcard: acceptable.length === 0, quantity };
}

function readCart(list: unknown): Cart | null {
  if (!Array.isArray(list) || list.length === 0) return null;
  const cart = new Map<string, number>();
  for (const line of list) {
    const product = isRecord(line) && isRecord(line.item) ? line.item : line;
    if (!isRecord(line) || !isRecord(product) || !isText(product.id)) return null;
    if (!isCount(line.quantity) || line.quantity === 0) return null;
    cart.set(product.id, (cart.get(product.id) ?? 0) + line.quantity);
  }
  return cart;
}

function quantityProblem(entries: Line[], cart: Cart): Problem | null {
  const most = new Map<string, number>();
  let mostOfAny = 0;
  let mostInAll = 0;
  for (const { products, isWildcard, quantity } of entries) {
    mostInAll += quantity;
    if (isWildcard) mostOfAny += quantity;
    for (const id of products) most.set(id, (most.get(id) ?? 0) + quantity);
  }
  let inAll = 0;
  for (const [id, quantity] of cart) {
    inAll += quantity;
    const mostOfThis = (most.get(id) ?? 0) + mostOfAny;
    if (mostOfThis === 0) return violated('the checkout has an item that is not acceptable');
    if (quantity > mostOfThis) return violated('the checkout has more of an item than allowed');
  }
  if (inAll > mostInAll) return violated('the checkout has more items than allowed');
  if (isAssignable(entries, cart)) return null;
  return violated('the checkout has more items than its lines allow together');
}

/** With match_mode `exact`, each line must be bought. */
function coverProblem(entries: Line[], cart: Cart): Problem | null {
  const covered = entries.every(
    ({ products, isWildcard }) => isWildcard || [...products].some((id) => cart.has(id)),
  );
  return covered ? null : violated('the checkout lacks a line that the user asked for');
}
