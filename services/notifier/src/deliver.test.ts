import { Cipher } from '@countersign/kernel/cipher';
import { createLog } from '@countersign/runtime/log';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { test } from 'tap';
import { attempt, type DeliverParts, type Job, secretPlace } from './deliver.js';

const cipher = new Cipher([Buffer.alloc(32, 7)]);
const { bytes: secret, keyId } = cipher.seal('whsec_x', secretPlace('wh_1'));
const job = {
  ...{ id: 'whd_1', webhook_id: 'wh_1', principal_id: 'prn_1', event_id: 'evt_1' },
  ...{ event: 'gate.fired', data: '{}', attempt_count: 0, attempts_left: 5, lease: 'one' },
  ...{ url: 'https://8.8.8.8/hook', active: true, secret, secret_key_id: keyId },
  ...{ previous_secret: null, previous_secret_key_id: null, trace: null },
} satisfies Job;

/** An attempt by a poster that only notes what it is asked to send. */
async function tried(over: Partial<Job>, { allowedHosts = [] }: { allowedHosts?: string[] } = {}) {
  const sent: string[] = [];
  const parts: DeliverParts = {
    ...{ environment: 'live', cipher, tracer: null, clock: () => 0 },
    guard: new UrlGuard({ allowedHosts }),
    poster: {
      post: async ({ url }) => {
        sent.push(url);
        return { statusCode: 200, error: null, durationMs: 1 };
      },
      close: async () => {},
    },
    log: createLog({ service: 'test', level: 'silent' }),
  };
  const { statusCode, error } = await attempt({ ...job, ...over }, parts);
  return { statusCode, error, sent: sent.length };
}

test('a URL that was registered under other rules is not called any more', async (t) => {
  t.same(await tried({}), { statusCode: 200, error: null, sent: 1 });
  const refused = { statusCode: null, error: 'URL_REFUSED', sent: 0 };
  for (const url of [
    'http://8.8.8.8/hook',
    'https://10.0.0.1/hook',
    'https://8.8.8.8:444/hook',
    'https://a@8.8.8.8/hook',
  ]) {
    t.same(await tried({ url }), refused, url);
  }
  const url = 'http://127.0.0.1:9/hook';
  t.match(await tried({ url }, { allowedHosts: ['127.0.0.1'] }), { sent: 1 });
  t.same(await tried({ url }), refused, 'a host that is exempt no longer');
});

test('nothing is sent without the secret that signs it', async (t) => {
  const refused = { statusCode: null, error: 'SECRET_UNAVAILABLE', sent: 0 };
  t.same(await tried({ webhook_id: 'wh_2' }), refused, 'the secret of another webhook');
  t.same(await tried({ secret_key_id: 'other' }), refused, 'an unknown key');
  const previous = { previous_secret: secret, previous_secret_key_id: 'other' };
  t.same(await tried(previous), refused, 'the secret before a rotation');
});
