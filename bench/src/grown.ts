import { cloneRecords } from './clone-records.js';
import type { Lab } from './lab.js';
import { type Product, startProduct } from './product.js';
import { warmUp } from './rounds.js';

export interface Grown {
  small: Product;
  large: Product;
  /** What was really made. */
  sizes: { small: number; large: number; ofFirstAgent: number };
}

const smallRows = 10_000;
const largeRows = 10_000_000;
/** Of one agent's log, for paging through it. */
export const longLog = 100_000;
/** A full page of an agent's log in either, and no more agents than there are. */
const smallAgents = 100;
const rowsAnAgent = 1_200;

/** Two installations that differ in how many authorizations are on record. */
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
