import type { EntityVersion } from '@countersign/proto/ledger';
import type { Store } from './db.js';
import { retryContended } from './failure.js';
import { fenceSql } from './sql.js';

/**
 * From the moment this resolves nothing judged by an older version is committed. Raising a fence
 * twice, or to less than it is, changes nothing.
 */
export async function raiseFences(
  { commits }: Store,
  entities: readonly EntityVersion[],
): Promise<void> {
  if (entities.length === 0) return;
  const ids = entities.map(({ entityId }) => entityId);
  const versions = entities.map(({ version }) => version);
  await retryContended(() => commits.query(fenceSql, [ids, versions]));
}
