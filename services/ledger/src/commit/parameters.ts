import type { EntityVersion } from '@countersign/proto/ledger';
import {
  encodeIntArray,
  encodeRowArray,
  encodeTextArray,
} from '@countersign/runtime/database/sql-array';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import { setMandateIndex } from './proposal-row.js';
import type { RecordedBases } from './recorded-bases.js';
import type { Database } from './store.js';

/** The parameters of a batch, and what is needed to interpret its result. */
export interface BatchParameters {
  values: unknown[];
  seen: readonly EntityVersion[];
  unrecorded: ReturnType<RecordedBases['unrecorded']>;
}

export function batchParameters(
  { type, bases }: Database,
  batch: readonly Pending[],
): BatchParameters {
  const mandates = indexMandates(batch);
  const seen = distinctVersions(batch);
  const unrecorded = bases.unrecorded(batch);
  const column = (textOf: (proposal: Proposal) => string | null): Buffer =>
    encodeTextArray(batch.map(({ proposal }) => textOf(proposal)));
  const values = [
    encodeRowArray(
      batch.map(({ proposal }) => proposal.row),
      type,
    ),
    column(({ basis }) => basis?.hash ?? null),
    column(({ texts }) => texts.facts),
    column(({ texts }) => texts.answer.head),
    column(({ texts }) => texts.answer.middle),
    column(({ texts }) => texts.answer.tail),
    column(({ texts }) => texts.event),
    column(({ texts }) => texts.eventFormat),
    encodeTextArray(mandates),
    encodeTextArray(seen.map(({ entityId }) => entityId)),
    encodeIntArray(seen.map(({ version }) => version)),
    encodeTextArray(unrecorded.map(([hash]) => hash)),
    encodeTextArray(unrecorded.map(([, body]) => body)),
  ];
  return { values, seen, unrecorded };
}

/**
 * Sets the mandate index of each row. Returns the mandates in the order in which they are locked.
 */
function indexMandates(batch: readonly Pending[]): string[] {
  const named = batch.flatMap(({ proposal }) => proposal.mandateId ?? []);
  const mandates = [...new Set(named)].sort();
  const places = new Map(mandates.map((mandate, index) => [mandate, index + 1]));
  for (const { proposal } of batch) {
    setMandateIndex(
      proposal.row,
      proposal.mandateId === null ? undefined : places.get(proposal.mandateId),
    );
  }
  return mandates;
}

function distinctVersions(batch: readonly Pending[]): EntityVersion[] {
  const seen = new Map<string, EntityVersion>();
  for (const { proposal } of batch) {
    for (const version of proposal.seen) seen.set(versionName(version), version);
  }
  return [...seen.values()];
}

export function versionName({ entityId, version }: EntityVersion): string {
  return `${entityId} ${version}`;
}
