interface Claims {
  iss: string;
  sub: string;
  env: string;
  req_hash: string;
  dec: {
    principal_id: string;
    mandate_hash: string | null;
    rail: string;
    amount: string;
    currency: string;
    merchant_id?: string;
    mcc?: string;
    country?: string;
    crypto?: { chain: string; asset: string; counterparty: string; value: string };
    vi: { reference: string | null };
  };
}

const jwsMember = /"jws":"[\w-]+\.([\w-]+)\.([\w-]+)"/;

/**
 * An answer as the ledger has to store it: of the JWS only its signature and the claims that the
 * rest of the answer does not state (docs/decisions/0028). An answer without one is stored whole.
 */
export function storedForm(answer: string): string {
  return answer.replace(jwsMember, (_member, payload: string, signature: string) => {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    return `"jws":${JSON.stringify([1, signature, ...besideAnswer(claims)])}`;
  });
}

function besideAnswer({ iss, sub, env, req_hash, dec }: Claims): unknown[] {
  const { merchant_id = null, mcc = null, country = null, crypto } = dec;
  const transfer = crypto ? [crypto.chain, crypto.asset, crypto.counterparty, crypto.value] : null;
  return [
    ...[iss, sub, env, dec.principal_id, dec.mandate_hash, dec.rail, dec.amount, dec.currency],
    ...[merchant_id, mcc, country, transfer, dec.vi.reference, req_hash],
  ];
}
