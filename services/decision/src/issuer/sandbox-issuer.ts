/**
 * THE TEST ISSUER OF THE SANDBOX. Its private key is published on purpose, in
 * `docs/sandbox-issuer.jwk.json`, so that integrators can issue their own root credentials. Its
 * signatures prove nothing: sandbox always trusts it, and live never does, whatever is configured.
 */
export const sandboxIssuer = {
  iss: 'https://test-issuer.countersign.example',
  kid: 'sandbox-test-issuer-1',
  vct: 'urn:svc:vi:test-credential',
  publicJwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'lcdcN766qr8MtknqK09MiG0LohmhHUo0hlqT8mRZ-K0',
    y: '8MOE1itK_kXnylO3J3Ohxne6CwU-6SUemS1Et-WaX0w',
  },
} as const;
