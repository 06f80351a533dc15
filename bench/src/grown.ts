import { cloneRecords } from './clone-records.js';
import type { Lab } from './lab.js';
import { type Product, startProduct } from './product.js';
import { warmUp } from './rounds.js';

export interface Grown {
  small: Product;
  large: Product;
  /** The actual sizes. */
  sizes: { small: number; large: number; ofFirstAgent: number };
}

const smallRows = 10_000;
const largeRows = 10_000_000;
/** Number of records of one agent, for paging through its log. */
export const longLog = 100_000;
/** A full page of an agent's log in either installation, with the same agents. */
const smallAgents = 100;
const rowsAnAgent = 1_200;

/** Two installations that differ in the number of recorded authorizations. */
export async function growRecords(lab: Lab, scale: number): Promise<Grown> {
  const rows = Math.max(smallRows, Math.round(largeRows * scale));
  const small = await startProduct();
  const large = await startProduct();
  await warmUp(lab, small);
  await warmUp(lab, large);
  await cloneRecords(small, { rows: smallRows, agents: smallAgents, ofFirstAgent: 0 });
  const agents = Math.max(1, Math.floor(rows / rowsAnAgent));
  await cloneRecords(large, { rows, agents, ofFirstAgent: longLog });
  return { small, large, sizes: { small: smallRows, large: rows, ofFirstAgent: longLog } };
}
