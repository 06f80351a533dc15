import type { Examination } from '../examination.js';
import { isText } from '../json-object.js';
import { daySeconds, readLifetime } from '../lifetime.js';
import { isSignedBy, type P256Key, readP256Key } from '../p256-key.js';
import type { SdJwt } from '../sd-jwt.js';

/** The user's identity as attested by the issuer, and the key that the user signs with. */
export interface Root {
  /** The whole presentation, whose hash L2 contains. */
  text: string;
  issuer: string;
  subject: string;
  userKey: P256Key;
  cardId: string | null;
}

/** One year, including leap years. */
const maxSeconds = 366 * daySeconds;

/** Null if L1 cannot be a basis for verifying the layers below. */
export function examineRoot(l1: SdJwt, examination: Examination): Root | null {
  if (!isOfIssuer(l1, examination)) return null;
  const { findings } = examination;
  const { header, payload, members, text } = l1;
  findings.expect(header.typ === 'sd+jwt', 'VI_BINDING_INVALID', 'l1 needs typ sd+jwt');
  findings.expect(
    !('sd_hash' in payload),
    'VI_BINDING_INVALID',
    'l1 is the root of the chain and must not have an sd_hash',
  );
  const expiresAt = readLifetime({ layer: 'l1', payload, maxSeconds }, examination);
  const { iss, sub } = payload;
  const { card_id: cardId = null } = { ...payload, ...members };
  const userKey = readUserKey(l1, examination);
  if (!isText(iss) || !isText(sub) || (cardId !== null && !isText(cardId))) {
    findings.add(
      'VI_CHAIN_MALFORMED',
      'iss and sub of l1, and card_id if any, must be short texts',
    );
    return null;
  }
  if (expiresAt === null || !userKey) return null;
  return { text, issuer: iss, subject: sub, userKey, cardId };
}

function isOfIssuer(l1: SdJwt, { surroundings: { issuer }, findings }: Examination): boolean {
  if (issuer.state === 'untrusted') {
    findings.add('VI_ISSUER_UNTRUSTED', 'the issuer of l1, or its key, is not trusted');
    return false;
  }
  if (issuer.state === 'unavailable') {
    findings.add('VI_ISSUER_UNAVAILABLE', "the keys of l1's issuer are currently unavailable");
    return false;
  }
  const key = readP256Key(issuer.jwk);
  const signed = key !== null && isSignedBy(l1, key);
  if (!findings.expect(signed, 'VI_SIGNATURE_INVALID', 'l1 is not signed by its issuer in ES256')) {
    return false;
  }
  const { vct } = l1.payload;
  const trusted = typeof vct === 'string' && issuer.vct.includes(vct);
  const detail = 'the issuer of l1 is not trusted for the vct of l1';
  return findings.expect(trusted, 'VI_ISSUER_UNTRUSTED', detail);
}

function readUserKey({ payload }: SdJwt, { findings }: Examination): P256Key | null {
  const cnf = payload.cnf as { jwk?: unknown } | null | undefined;
  const jwk = cnf?.jwk;
  if (jwk === undefined) {
    findings.add('VI_BINDING_INVALID', 'l1 has no key of the user in cnf.jwk');
    return null;
  }
  const key = readP256Key(jwk);
  findings.expect(key !== null, 'VI_SIGNATURE_INVALID', 'the key of the user is not a P-256 key');
  return key;
}
