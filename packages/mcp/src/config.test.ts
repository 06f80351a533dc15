import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { readConfig } from './config.js';
import { createContext } from './context.js';
import { version } from './version.js';

const env = {
  COUNTERSIGN_URL: 'https://pay.example.com',
  COUNTERSIGN_API_KEY: 'svc_live_secret',
  COUNTERSIGN_AGENT_ID: 'agt_1',
};

test('the environment says who asks, and with what', (t) => {
  const { COUNTERSIGN_API_KEY: apiKey, COUNTERSIGN_URL: baseUrl } = env;
  t.match(readConfig(env), { client: { apiKey, baseUrl }, agentId: 'agt_1', reversals: true });
  const oauth = { COUNTERSIGN_CLIENT_ID: 'svcoc_live_1', COUNTERSIGN_CLIENT_SECRET: 'svcos_1' };
  t.match(readConfig({ ...env, ...oauth, COUNTERSIGN_API_KEY: '' }).client, {
    oauth: { clientId: 'svcoc_live_1', clientSecret: 'svcos_1' },
  });
  t.match(readConfig({ ...env, COUNTERSIGN_REVERSALS: 'off' }), { reversals: false });
  t.throws(() => readConfig({ ...env, ...oauth }), /either/, 'nobody knows which was meant');
  t.end();
});

test('what is missing or wrong is named, without its value', (t) => {
  for (const name of Object.keys(env)) {
    t.throws(() => readConfig({ ...env, [name]: '' }), new RegExp(name), name);
  }
  const wrong = {
    COUNTERSIGN_AGENT_ID: 'svc_live_secret',
    COUNTERSIGN_REVERSALS: 'svc_live_secret',
  };
  for (const [name, value] of Object.entries(wrong)) {
    t.throws(() => readConfig({ ...env, [name]: value }), { message: /^(?!.*secret)/ }, name);
  }
  t.end();
});

test('an address that is refused is named as it was set', (t) => {
  const wrong = ['http://pay.example.com', 'pay.example.com', 'https://pay.example.com/api/v1'];
  for (const COUNTERSIGN_URL of wrong) {
    const { client, ...config } = readConfig({ ...env, COUNTERSIGN_URL });
    const refused = { message: /COUNTERSIGN_URL must/ };
    t.throws(() => createContext({ client, ...config }), refused, COUNTERSIGN_URL);
    t.throws(() => createContext({ client, ...config }), { message: /^(?!.*(baseUrl|allowHttp))/ });
  }
  t.end();
});

test('the version is that of the package', (t) => {
  const file = new URL('../package.json', import.meta.url);
  t.equal(version, JSON.parse(readFileSync(file, 'utf8')).version);
  t.end();
});
