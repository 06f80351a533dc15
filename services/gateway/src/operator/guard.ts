import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '@countersign/kernel/fault';
import { equalSecrets } from '../authentication/secrets.js';
import type { Check } from '../middleware/state.js';

/** A wrong key and a missing one get the same answer, in the same time. */
export function checkAdminKey(adminKey: string | null): Check {
  return (ctx) => {
    const given = ctx.req.headers['x-admin-key'];
    if (adminKey === null || !equalSecrets(typeof given === 'string' ? given : '', adminKey)) {
      throw new Fault('forbidden', { code: 'ERROR', message: 'The admin key is not valid.' });
    }
  };
}

/** `X-Service-Signature: sha256=<hex>` over the raw body, as webhooks are signed. */
export function checkProviderSignature(secret: string | null): Check {
  return (ctx) => {
    if (secret === null) {
      const message = 'Callbacks are not accepted: VERIFICATION_CALLBACK_SECRET is not set.';
      throw new Fault('forbidden', { code: 'ERROR', message });
    }
    const given = ctx.req.headers['x-service-signature'];
    const body = ctx.state.rawBody ?? Buffer.alloc(0);
    if (typeof given !== 'string' || !isSignature(given, secret, body)) {
      throw new Fault('forbidden', { code: 'ERROR', message: 'The signature is not valid.' });
    }
  };
}

function isSignature(given: string, secret: string, body: Buffer): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(given)?.[1];
  if (!hex) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
