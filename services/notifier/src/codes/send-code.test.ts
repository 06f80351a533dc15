import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Fault } from '@countersign/kernel/fault';
import { type Listening, listening } from '@countersign/runtime/testing/listening';
import { SMTPServer } from 'smtp-server';
import { test } from 'tap';
import { certificate, certificateKey } from '../test/certificate.js';
import type { RelayOptions } from './relay.js';
import { type CodeMessage, createCodeSender, NothingSent, RecipientRefused } from './send-code.js';

/** A busy machine takes its time. */
const patientMs = 30_000;
/** Only where a timeout ends it. */
const briefMs = 1_000;

const nothing: RelayOptions = {
  smtpUrl: null,
  smtpFrom: null,
  smsGatewayUrl: null,
  smsGatewayToken: null,
  timeoutMs: patientMs,
};

const message: CodeMessage = {
  channel: 'email',
  to: 'ada@example.com',
  code: '042137',
  expiresAt: '2026-03-01T09:35:00.000Z',
  amount: '129.90',
  currency: 'USD',
};

interface Mail {
  from: string;
  to: string[];
  text: string;
  user: string | undefined;
}

/** A real SMTP server on loopback that stores or refuses mail. */
async function mailServer(refuse = false, refusals: { mailFrom?: string; rcptTo?: string } = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
    onMailFrom: (_, __, done) => done(refusals.mailFrom ? replyOf(refusals.mailFrom) : null),
    onRcptTo: (_, __, done) => done(refusals.rcptTo ? replyOf(refusals.rcptTo) : null),
    onData: (stream, session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      stream.on('end', () => {
        if (refuse) return done(new Error(`no room for ${text.length} bytes: ${text}`));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text,
          user: session.user as string | undefined,
        });
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, close: () => new Promise<void>((resolve) => server.close(resolve)) };
}

/** The error with which a step of the conversation is answered: `550 5.1.1 no such user`. */
function replyOf(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}

test('a code is sent by e-mail to exactly the given address', async (t) => {
  const server = await mailServer();
  const smtpUrl = `smtp://relay:secret@127.0.0.1:${server.port}`;
  const codes = createCodeSender({ ...nothing, smtpUrl, smtpFrom: 'codes@countersign.example' });
  t.equal(await codes.send(message), 'sent');
  t.equal(
    await codes.send({ ...message, to: 'b@example.com, c@example.com' }).catch(() => 'no'),
    'no',
  );
  const [mail] = server.mails;
  t.match(mail, { from: 'codes@countersign.example', to: ['ada@example.com'], user: 'relay' });
  t.match(mail?.text, /042137 confirms a payment of 129\.90 USD/);
  t.match(mail?.text, /09:35 UTC/);
  t.equal(server.mails.length, 1, 'a list of addresses is rejected');
  codes.close();
  await server.close();
});

test('the fault for a relay that refuses or hangs does not contain the code', async (t) => {
  const refusing = await mailServer(true);
  const [silent, greeting] = [await silentServer(''), await silentServer('220 relay\r\n')];
  const ending = await endingServer();
  for (const [port, timeoutMs, certainlyNothing] of [
    [refusing.port, patientMs, true],
    [silent.port, briefMs, true],
    [greeting.port, briefMs, true],
    [ending.port, patientMs, false],
    [1, patientMs, true],
  ] as const) {
    const smtpUrl = `smtp://127.0.0.1:${port}`;
    const options = { ...nothing, smtpUrl, smtpFrom: 'a@b.example', timeoutMs };
    const codes = createCodeSender(options);
    const fault = await codes.send(message).catch((error: unknown) => error);
    t.match(fault, { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' });
    t.equal(fault instanceof NothingSent, certainlyNothing, `what is known of port ${port}`);
    const { internal, stack, cause } = fault as Record<string, string>;
    t.notMatch(`${internal} ${stack} ${cause}`, /042137/);
    codes.close();
  }
  for (const server of [refusing, silent, greeting, ending]) await server.close();
});

test('nothing is sent to a relay whose certificate is not trusted, which is told', async (t) => {
  const identity = { cert: certificate, key: certificateKey };
  const options = { ...nothing, smtpFrom: 'a@b.example' };
  const servers = {
    smtps: await listening(createTlsServer(identity)),
    https: await listening(createHttpsServer(identity)),
  };
  for (const [scheme, { port, close }] of Object.entries(servers)) {
    const url = `${scheme}://127.0.0.1:${port}`;
    const [key, channel] =
      scheme === 'smtps' ? (['smtpUrl', 'email'] as const) : (['smsGatewayUrl', 'sms'] as const);
    const codes = createCodeSender({ ...options, [key]: url });
    const fault = await codes.send({ ...message, channel }).catch((error: unknown) => error);
    t.ok(fault instanceof NothingSent, scheme);
    t.match(fault, { internal: `${channel} relay: DEPTH_ZERO_SELF_SIGNED_CERT` });
    codes.close();
    await close();
  }
});

test('only what concerns the mailbox alone is a refusal of the recipient', async (t) => {
  const refusals: { mailFrom?: string; rcptTo?: string } = {};
  const server = await mailServer(false, refusals);
  const smtpUrl = `smtp://127.0.0.1:${server.port}`;
  const codes = createCodeSender({ ...nothing, smtpUrl, smtpFrom: 'a@b.example' });
  const refusal = () => codes.send(message).catch((error: unknown) => error);
  for (const reply of [
    '550 5.1.1 no such user',
    '550 5.1.2 no such domain',
    '551 5.1.6 has moved',
    '552 5.2.2 is full',
    '553 5.1.3 is no address',
    '556 5.1.10 takes no mail',
  ]) {
    refusals.rcptTo = reply;
    t.ok((await refusal()) instanceof RecipientRefused, reply);
  }
  for (const reply of [
    '450 4.1.1 no such user yet',
    '452 4.2.2 is full',
    '550 relaying denied',
    '550 5.1.0 the sender is unknown',
    '550 5.7.1 relaying denied',
    '553 5.1.8 the domain of the sender does not exist',
    '554 5.7.1 relay access denied',
  ]) {
    refusals.rcptTo = reply;
    t.ok((await refusal()) instanceof NothingSent, reply);
  }
  refusals.mailFrom = '550 5.1.1 no such sender';
  t.ok((await refusal()) instanceof NothingSent, 'the sender');
  codes.close();
  await server.close();
});

/** Accepts connections, sends this greeting and then nothing. */
function silentServer(greeting: string): Promise<Listening> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.write(greeting);
  });
  return listening(server);
}

/** Takes a mail to its end, and is gone before it has said what becomes of it. */
function endingServer(): Promise<Listening> {
  const server = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (data) => {
        const command = data.toString().slice(0, 4);
        if (command === 'DATA') socket.write('354 go on\r\n');
        else if (['EHLO', 'MAIL', 'RCPT'].includes(command)) socket.write('250 ok\r\n');
        else socket.destroy();
      });
    socket.write('220 relay\r\n');
  });
  return listening(server);
}

test('a code is sent by SMS through the gateway, with its token', async (t) => {
  const seen: Array<{ token: string | undefined; type: string | undefined; body: unknown }> = [];
  let status = 202;
  const gateway = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const { authorization: token, 'content-type': type } = request.headers;
      seen.push({ token, type, body: JSON.parse(text) });
      response.writeHead(status).end(text);
    });
  });
  const { port, close } = await listening(gateway);
  t.teardown(close);
  const smsGatewayUrl = `http://127.0.0.1:${port}/send`;
  const codes = createCodeSender({ ...nothing, smsGatewayUrl, smsGatewayToken: 'tok' });
  const sms = { ...message, channel: 'sms' as const, to: '+4915112345678' };
  t.equal(await codes.send(sms), 'sent');
  t.match(seen[0], { token: 'Bearer tok', type: 'application/json' });
  t.match(seen[0]?.body, { to: '+4915112345678', text: /^042137 confirms/ });
  for (const [refusal, kind] of [
    [422, RecipientRefused],
    [400, NothingSent],
    [401, NothingSent],
    [403, NothingSent],
    [404, NothingSent],
    [429, NothingSent],
    [500, Fault],
    [504, Fault],
  ] as const) {
    status = refusal;
    const fault = await codes.send(sms).catch((error: unknown) => error);
    t.match(fault, { kind: 'unavailable', internal: `sms relay: status ${refusal}` });
    t.equal(Object(fault).constructor, kind, `what is known of ${refusal}`);
  }
});

test('an SMS that the gateway has accepted is sent, even if its answer never ends', async (t) => {
  const gateway = createServer((_, response) => response.writeHead(202).write('{'));
  const { port, close } = await listening(gateway);
  const smsGatewayUrl = `http://127.0.0.1:${port}/send`;
  const codes = createCodeSender({ ...nothing, smsGatewayUrl, timeoutMs: 10_000 });
  t.equal(await codes.send({ ...message, channel: 'sms', to: '+4915112345678' }), 'sent');
  codes.close();
  await close();
});

test('sending through a channel that is not configured is a fault', async (t) => {
  const codes = createCodeSender(nothing);
  t.equal(await codes.send(message), 'not_configured');
  t.equal(await codes.send({ ...message, channel: 'sms' }), 'not_configured');
});
