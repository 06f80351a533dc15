import { isRecord } from '@countersign/kernel/is-record';
import { type Disclosures, referenceOf } from './disclosures.js';
import type { Findings } from './findings.js';
import type { JsonObject } from './json-object.js';
import type { SdJwt } from './sd-jwt.js';
import { type MandateKind, mandateKindOf } from './vct.js';

export interface Mandate extends MandateKind {
  body: JsonObject;
  /** Digest of its disclosure, by which `delegate_payload` refers to it. */
  digest: string;
}

export interface Delegated {
  mandates: Mandate[];
  /** All digests in `delegate_payload`, disclosed or not. */
  digests: ReadonlySet<string>;
  withheld: number;
}

const maxDelegates = 64;

/** Reads the disclosed mandates. Each must be referenced by digest, once, and not be inline. */
export function delegatedMandates(
  { payload, disclosures }: SdJwt,
  layer: string,
  findings: Findings,
): Delegated | null {
  const list = payload.delegate_payload;
  const digests = Array.isArray(list) ? list.slice(0, maxDelegates + 1).map(referenceOf) : [];
  if (digests.length === 0 || digests.length > maxDelegates || digests.includes(null)) {
    findings.add(
      'VI_CHAIN_MALFORMED',
      `the delegate_payload of ${layer} must be a list of digests`,
    );
    return null;
  }
  const distinct = new Set(digests.filter((digest) => digest !== null));
  if (distinct.size !== digests.length) {
    findings.add('VI_BINDING_INVALID', `the delegate_payload of ${layer} has a mandate twice`);
    return null;
  }
  return read(distinct, disclosures, { layer, findings });
}

function read(
  digests: ReadonlySet<string>,
  disclosures: Disclosures,
  { layer, findings }: { layer: string; findings: Findings },
): Delegated {
  const mandates: Mandate[] = [];
  let withheld = 0;
  for (const digest of digests) {
    const disclosure = disclosures.get(digest);
    if (disclosure?.name !== null) withheld += 1;
    else if (isRecord(disclosure.value)) {
      const body = disclosure.value;
      const kind = mandateKindOf(body.vct);
      if (kind) mandates.push({ ...kind, body, digest });
    }
  }
  if (mandates.some(({ digest }) => !disclosures.get(digest)?.isWhole)) {
    const detail = `a mandate of ${layer} withholds members, which may be limits`;
    findings.add('VI_DISCLOSURE_INCOMPLETE', detail);
  }
  return { mandates, digests, withheld };
}
