/**
 * The test vectors of the reference implementation of Verifiable Intent 0.1 (Apache-2.0), as JSON
 * and signatures. The credentials built here equal the published ones byte for byte, or neither
 * hashes nor signatures would match.
 */

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function jwt(header: object, payload: object, signature: string): string {
  return `${encoded(header)}.${encoded(payload)}.${signature}`;
}

const p256 = (x: string, y: string) => ({ kty: 'EC', crv: 'P-256', x, y });

export const issuerJwk = p256(
  'p_QdCPhvJWMo2e47d25qTkJYQi4VZ1Iw7Dn5E_aiM_o',
  'lrbLQN-m2MGs8BMLB1bHqh2MlCty6Ue_YVRzItSwxZI',
);
const userJwk = p256(
  'oSIYER4ca7X_m1DdylF9yF4ww6S16BEFNWucX8qk0YE',
  'RsocODIpBWgX5cuTHLDyO9k07q5iYCbdk1hTJQ8NL9I',
);
export const agentJwk = p256(
  '0arZwPb0BGw_lgaU0QrylN8tv56fuKPJx6tZDSAlS90',
  'm9sm5wFdCfwCy6Ucf621n_hdRt_fd9ZssP-TVtP8Y2k',
);
const cnf = { jwk: { ...agentJwk, kid: 'agent-key-1' } };

export const vct = 'https://credentials.mastercard.com/card';

/** When the agent signed, in epoch milliseconds. */
export const signedAt = 1_750_000_200_000;

const merchant = {
  id: 'merchant-uuid-1',
  name: 'Tennis Warehouse',
  website: 'https://tennis-warehouse.com',
};
const instrument = {
  type: 'mastercard.srcDigitalCard',
  id: 'f199c3dd-7106-478b-9b5f-7af9ca725170',
  description: 'Mastercard **** 1234',
};
const paid = { currency: 'USD', amount: 27_999 };

const racket = { sku: 'BAB86345', name: 'Babolat Pure Aero Tennis Racket', size: 3 };
const cartLine = { ...racket, size_label: '4 3/8', color: 'white', quantity: 1, unitPrice: 279.99 };

export const checkoutJwt = jwt(
  { alg: 'ES256', typ: 'JWT', kid: 'merchant-key-1' },
  {
    iss: 'https://tennis-warehouse.com',
    sub: 'cart_checkout',
    iat: 1_750_000_050,
    exp: 1_750_003_650,
    cart: { items: [cartLine], subTotal: { amount: 279.99, currencyCode: 'USD' } },
  },
  'p20eGtZjSuB4kMcaEnabna0kDSrdrpOxAwgXCHBLcLBRxqKPAIMhx--U3H3mG7JUFAQ3ARJYwjvrDMoGe1mFng',
);
const checkoutHash = '86jeB8fqZa6Z1HNxmxrvjaFVciurT4VN2udrG5sw5zI';

export const l1 = `${jwt(
  { alg: 'ES256', typ: 'sd+jwt', kid: 'mastercard-issuer-key-1' },
  {
    iss: 'https://issuer.mastercard.com',
    sub: 'user-subject-12345',
    iat: 1_750_000_000,
    exp: 1_781_536_000,
    vct,
    cnf: { jwk: userJwk },
    pan_last_four: '1234',
    scheme: 'mastercard',
    card_id: instrument.id,
    _sd: ['2kcLKYXCrkhv3v5TA45vDyeM5Fu4QYOfuLPJR-nu4os'],
    _sd_alg: 'sha-256',
  },
  'LmV6prkmQncMvH9HDg3_B719_D36zun5teq5RsibOzRAdplUdSNTXZG8Ggass946zYnQwhSuSWwO0gQT4PMBbw',
)}~${Buffer.from('["Mdr6tVLhWXEvZaiMRsnHwA","email","user@example.com"]').toString('base64url')}~`;
const l1Hash = 'jhpBtnZS6GhlblNmWj_0O4mMgnTp7cL9uAYx6itGytk';

const refs = (...digests: string[]) => digests.map((digest) => ({ '...': digest }));

const agreed = [
  'rcAs1M-r2UWZZWFrBNPwlEYXbQekyD2qm1ETNUmU0O4',
  'lbhDBk30b06Y0juxqxjyDH-5cd1ORzFO-S7baTyvZKE',
];

export const immediateL2 = [
  jwt(
    { alg: 'ES256', typ: 'kb-sd-jwt', kid: 'user-device-key-1' },
    {
      nonce: 'immediate-nonce-0001',
      aud: 'https://agent.example.com',
      iat: 1_750_000_100,
      sd_hash: l1Hash,
      delegate_payload: refs(...agreed),
      _sd_alg: 'sha-256',
      iss: 'https://wallet.example.com',
      exp: 1_750_001_000,
      _sd: agreed,
    },
    'QGdHm8bVsfwxuc8JvENWiRsz86H88pr_FRWFh8hsShgHnH1XSfQ5CePju5HxHDhU1ElaymwdrNfAh55qamAimA',
  ),
  encoded([
    '2r-Yv_y77cU16UlLJV-QBg',
    { vct: 'mandate.checkout.1', checkout_jwt: checkoutJwt, checkout_hash: checkoutHash },
  ]),
  encoded([
    'R9qonvWeU09kefkfmgEqbg',
    {
      vct: 'mandate.payment.1',
      payment_instrument: instrument,
      payee: merchant,
      payment_amount: paid,
      transaction_id: checkoutHash,
    },
  ]),
  '',
].join('~');

const merchants = [
  'vMS0sCI_rxOkmy0Z3EZw_DWYzquSvsg5FpBnbbC6oSQ',
  'mK70X4fRi1hAsjxOIFGUN-7mJBahfQUL7CN_hzes7NE',
] as const;
const items = [
  'guzj77pfRec2WMFHY9k5H31dZJPIp9drDxLUljdeD_0',
  'LVGZfVefQn97MNH-8lHaTXBcnys7152wDRstAguckH0',
];
const checkoutDigest = 'rhURWZMY8cMCjgWmHEFqtgdg1cqnaWoqCVxqEnkzcR4';
const mandates = [checkoutDigest, 'e3ymh4aa6qxLZlEDk_3pERbqCODRQj7qfXEPb6GVknw'];

const autonomousJwt = jwt(
  { alg: 'ES256', typ: 'kb-sd-jwt+kb', kid: 'user-device-key-1' },
  {
    nonce: 'autonomous-nonce-0001',
    aud: 'https://agent.example.com',
    iat: 1_750_000_100,
    sd_hash: l1Hash,
    delegate_payload: refs(...mandates),
    _sd_alg: 'sha-256',
    _sd: [...merchants, ...items, ...mandates],
    iss: 'https://wallet.example.com',
    exp: 1_750_086_500,
  },
  '_8N51mlG64O6hb9QsFHHVj6e4EuLQ4aMu5nb5J7t9guf0FhUHRllByGE71Bvm5o9PAJhjHnrOWbqZnlaLWyy_Q',
);

export const paymentView = [
  autonomousJwt,
  encoded([
    'SrX6K86NlZ8WvWGdw7QR7w',
    {
      vct: 'mandate.payment.open.1',
      cnf,
      constraints: [
        { type: 'mandate.payment.allowed_payees', allowed: refs(merchants[0]) },
        { type: 'mandate.payment.amount_range', currency: 'USD', min: 10_000, max: 40_000 },
        { type: 'mandate.payment.reference', conditional_transaction_id: checkoutDigest },
      ],
      payment_instrument: instrument,
    },
  ]),
  encoded(['ZuiUR9n5t0v3F6axn3TH-A', merchant]),
  '',
].join('~');

export const checkoutView = [
  autonomousJwt,
  encoded([
    'lnEe4FL32lvJDHR-_0aJqg',
    {
      vct: 'mandate.checkout.open.1',
      cnf,
      constraints: [
        { type: 'mandate.checkout.allowed_merchants', allowed: refs(...merchants) },
        {
          type: 'mandate.checkout.line_items',
          items: [{ id: 'line-1', acceptable_items: refs(...items), quantity: 1 }],
          match_mode: 'minimum',
        },
      ],
    },
  ]),
  encoded(['HjbabCr2_wVyzw224TEMpg', { id: racket.sku, title: racket.name }]),
  '',
].join('~');

export const paymentViewHash = 'llsrHkmQpjk3h8Ykk2rjufjI8SwFQpEydlWYnHWB4bg';
export const checkoutViewHash = 'DJ8l3f100eon6xfeHq6lK5aZ5d76SRGAiH-yb50oVP0';

const agentHeader = { alg: 'ES256', typ: 'kb-sd-jwt', kid: 'agent-key-1' };
const agentEnd = { _sd_alg: 'sha-256', iss: 'https://agent.example.com', exp: 1_750_000_500 };

export const l3Payment = [
  jwt(
    agentHeader,
    {
      nonce: 'l3a-nonce-0001',
      aud: 'https://network.mastercard.com',
      sd_hash: paymentViewHash,
      iat: 1_750_000_200,
      delegate_payload: refs(
        'SNtn-pb8GPPrsEKyByCfVpmuZ8M9FD7O-Let-cs_vNY',
        'TdWACE36GxRFBRvQGQBy4MA3iX06Dl0eurr1l4YZvfE',
      ),
      ...agentEnd,
    },
    'FKr84Cmnjj-SsUlXNJwretTGjtLYGBiT73t89FF-fK70jvvZ9KWn0AnG86jVjQzXhKFCVHQAbsfFTmenoWGZ5g',
  ),
  encoded(['cB7A7T9_RMudZFl_ajGSlQ', merchant]),
  encoded([
    'pexOmn5YA2SwBJr9_thETA',
    {
      vct: 'mandate.payment.1',
      transaction_id: checkoutHash,
      payee: merchant,
      payment_amount: paid,
      payment_instrument: instrument,
    },
  ]),
  '',
].join('~');

export const l3Checkout = [
  jwt(
    agentHeader,
    {
      nonce: 'l3b-nonce-0001',
      aud: 'https://tennis-warehouse.com',
      sd_hash: checkoutViewHash,
      iat: 1_750_000_200,
      delegate_payload: refs('h5z6lDoFbtUMpxyYgN6UpAG0ApZfGbu_61TwLlBeSIk'),
      ...agentEnd,
    },
    'SpZoGr9jaHf42Qu18IjWXrNqFmIzX2PUsmqQyTLJ16-pKGYdVCCl46mXbKw1JMoeb7fLUvL4SiiBTv0mXZBQrA',
  ),
  encoded([
    'lDY3yREdIN8fzCzPSHHD7A',
    { vct: 'mandate.checkout.1', checkout_jwt: checkoutJwt, checkout_hash: checkoutHash },
  ]),
  '',
].join('~');

export const publishedHashes = { l1Hash, checkoutHash };
