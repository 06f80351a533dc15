import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.js';
import type { CredentialRecord } from './credential-record.js';
import { type Gate, versionFreshMs } from './gate.js';

export type Parts = Pick<Context, 'pool' | 'clock' | 'authentication' | 'log'>;

/** A credential and the version that its row has now. */
export type Changed = Pick<CredentialRecord, 'id' | 'environment' | 'version'>;

/** After so long no replica with access to the database takes an older version for fresh. */
const outlivedMs = versionFreshMs + 2_000;
const announcePauseMs = 250;
/** More commands at once would not be answered within the time that one may take. */
const toldAtOnce = 100;

/**
 * Resolves once no replica can take an older version for the current one: when Redis has the new
 * one, or, where Redis cannot be told, when everything it may still say has lost its freshness.
 */
export async function announce(
  { authentication, log }: Pick<Parts, 'authentication' | 'log'>,
  changed: readonly Changed[],
): Promise<void> {
  // Not by the clock: one that is set meanwhile would end this too early, or hours too late.
  const outlivedAt = performance.now() + outlivedMs;
  let untold = await tell(authentication.gate, changed);
  while (untold.length > 0 && performance.now() < outlivedAt) {
    await pause(announcePauseMs);
    untold = await tell(authentication.gate, untold);
  }
  if (untold.length === 0) return;
  log.warn({ credentials: untold.length }, 'redis was not updated; waited for caches to expire');
}

/** Tells Redis of each. Returns those it does not know of; none after it seems to be away. */
export async function tell(gate: Gate, changed: readonly Changed[]): Promise<Changed[]> {
  const untold: Changed[] = [];
  for (let from = 0; from < changed.length; from += toldAtOnce) {
    const group = changed.slice(from, from + toldAtOnce);
    const results = await Promise.allSettled(
      group.map((each) => gate.announce(each, each.version)),
    );
    const failed = group.filter((_, index) => results[index]?.status === 'rejected');
    untold.push(...failed);
    if (failed.length === group.length) return [...untold, ...changed.slice(from + toldAtOnce)];
  }
  return untold;
}
