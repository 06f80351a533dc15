import type { Transaction } from './db.js';

/**
 * Row locks that make a check and the following change atomic. They are FOR NO KEY UPDATE so that
 * they do not block inserts of rows with a foreign key to the locked row.
 */
export async function lockProgram(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM programs WHERE id = ${id} FOR NO KEY UPDATE`;
}

export async function lockPrincipal(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM principals WHERE id = ${id} FOR NO KEY UPDATE`;
}

export async function lockAgent(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM agents WHERE id = ${id} FOR NO KEY UPDATE`;
}

/** In the order of their ids, as `applyEvents` locks them. */
export async function lockAgentsOf(tx: Transaction, principalId: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM agents WHERE principal_id = ${principalId} ORDER BY id FOR NO KEY UPDATE`;
}

export async function lockMandate(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM mandates WHERE id = ${id} FOR NO KEY UPDATE`;
}
