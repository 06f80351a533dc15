import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Fault } from '@countersign/kernel/fault';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { type Test, test } from 'tap';
import { createGrpcClient } from '../grpc-client.js';
import { startGrpcServer } from '../grpc-server.js';
import { Lifecycle } from '../lifecycle.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { SettingsError } from '../settings.js';
import { StreamBalancer } from '../stream/balancer.js';
import { frameCodec, json, method } from '../test/frame-codec.js';
import {
  addressCertificate,
  type CertificateAndKey,
  localhostCertificate,
  renewedCertificate,
  serviceCa,
  strangeCertificate,
} from '../testing/service-certificates.js';
import { until } from '../testing.js';
import { type GrpcTransport, grpcTransport, inTheClear, mutualTls } from './transport.js';

interface Message {
  text: string;
}
type Definition = { Echo: MethodDefinition<Message, Message, Message, Message> };

const service = { Echo: method('/test.v1.Test/Echo', false) } as unknown as Definition &
  ServiceDefinition;
const open = method('/test.v1.Multiplex/Open', true, frameCodec);
const log = createLog({ service: 'test', level: 'silent' });
const options = { environment: 'sandbox', requestId: 'r' } as const;
const refreshMs = 20;
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

/** Replaced as a whole, as by Kubernetes, so that no half of a file is read. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** The transport of a service with this certificate, which can be exchanged. */
function holding(t: Test, held: CertificateAndKey) {
  const folder = mkdtempSync(join(tmpdir(), 'transport-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [certFile, keyFile, caFile] = ['cert', 'key', 'ca'].map((name) => join(folder, name));
  const files = { certFile, keyFile, caFile, refreshMs } as Parameters<typeof mutualTls>[0];
  const hold = ({ certificate, key }: CertificateAndKey): void => {
    writeWhole(files.certFile, certificate);
    writeWhole(files.keyFile, key);
  };
  writeWhole(files.caFile, serviceCa);
  hold(held);
  return { transport: mutualTls(files), hold, files };
}

async function start(t: Test, transport: GrpcTransport, host = '127.0.0.1'): Promise<number> {
  const lifecycle = new Lifecycle(log);
  t.teardown(() => lifecycle.shutdown());
  return startGrpcServer<Definition>({
    service,
    multiplex: { Open: open } as unknown as ServiceDefinition,
    handlers: { Echo: async (request) => request },
    ...{ host, port: 0, transport, log, lifecycle, metrics: new Metrics('test') },
  });
}

/** Calls by a connection of its own. */
function caller(t: Test, address: string, transport: GrpcTransport) {
  const client = createGrpcClient({ service, address, transport, metrics: new Metrics('test') });
  t.teardown(() => client.close());
  return (deadlineMs = 10_000) =>
    client.call.Echo({ text: 'hello' }, { ...options, deadlineMs }).then(
      ({ text }) => text,
      (error) => (error instanceof Fault ? error.code : error),
    );
}

/** Too short for a connection that would be accepted late, long enough for one that is refused. */
const refusedMs = 300;

test('calls arrive with certificates on both sides', async (t) => {
  const { transport } = holding(t, addressCertificate);
  const port = await start(t, transport);
  const call = caller(t, `127.0.0.1:${port}`, holding(t, localhostCertificate).transport);
  t.equal(await call(), 'hello', 'also with the certificate of another service');
});

test('streams to each replica are verified by the name of the service', async (t) => {
  const { transport } = holding(t, localhostCertificate);
  const address = `localhost:${await start(t, transport, 'localhost')}`;
  t.equal(await caller(t, address, transport)(), 'hello');
  const { credentials, options: channel } = transport.client(address);
  const streams = new StreamBalancer({ address, open: open as never, credentials, channel });
  t.teardown(() => streams.close());
  const payload = json.serialize({ text: 'by stream' });
  const answer = await until(
    () => streams.call('Echo', payload, { ...options, timeoutMs: 10_000 }),
    { what: 'a stream' },
  );
  t.same(json.deserialize(answer), { text: 'by stream' });
});

test('who has no certificate of the CA is refused', async (t) => {
  const { transport, files } = holding(t, addressCertificate);
  const address = `127.0.0.1:${await start(t, transport)}`;
  t.equal(await caller(t, address, inTheClear)(refusedMs), 'SERVICE_UNAVAILABLE', 'in the clear');
  const strange = holding(t, strangeCertificate);
  t.equal(await caller(t, address, strange.transport)(refusedMs), 'SERVICE_UNAVAILABLE');
  const calls = caller(t, address, mutualTls(files));
  t.equal(await calls(), 'hello', 'which the same server accepts otherwise');
});

test('a server is refused whose certificate is not for its address', async (t) => {
  const { transport } = holding(t, addressCertificate);
  const other = holding(t, localhostCertificate);
  const address = `127.0.0.1:${await start(t, other.transport)}`;
  t.equal(await caller(t, address, transport)(refusedMs), 'SERVICE_UNAVAILABLE');
  const strange = holding(t, strangeCertificate);
  const beyond = `127.0.0.1:${await start(t, strange.transport)}`;
  t.equal(await caller(t, beyond, transport)(refusedMs), 'SERVICE_UNAVAILABLE', 'nor of the CA');
  const list = `127.0.0.2:1,127.0.0.1:${await start(t, transport)}`;
  t.equal(await caller(t, list, transport)(), 'hello', 'for one of a list suffices');
});

test('certificates are exchanged without a restart', async (t) => {
  const { transport, hold, files } = holding(t, addressCertificate);
  const port = await start(t, transport);
  const client = holding(t, strangeCertificate);
  const call = caller(t, `127.0.0.1:${port}`, client.transport);
  t.equal(await call(refusedMs), 'SERVICE_UNAVAILABLE');
  client.hold(addressCertificate);
  t.equal(await call(), 'hello', 'of the client');
  const before = await fingerprintAt(port);
  writeWhole(files.keyFile, renewedCertificate.key);
  const refused = async () => (await fingerprintAt(port)) === null;
  await until(refused, { what: 'that a key without its certificate is not used' });
  t.equal(await call(), 'hello', 'on the connection that is open');
  hold(renewedCertificate);
  const renewed = async () => ![before, null].includes(await fingerprintAt(port));
  t.ok(await until(renewed, { what: 'the new certificate' }), 'of the server');
  t.equal(await call(), 'hello');
});

/** Of the certificate that a server presents; null while it lets nobody in. */
function fingerprintAt(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const { certificate: cert, key } = addressCertificate;
    const trusted = { ca: serviceCa, cert, key, ALPNProtocols: ['h2'] };
    const socket = connectTls({ host: '127.0.0.1', port, ...trusted }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', () => resolve(null));
    socket.on('close', () => resolve(null));
  });
}

test('no IP address is sent as the name that is asked for', (t) => {
  // Node.js warns of the first one in a process.
  t.same(warnings, []);
  t.end();
});

test('the three files are set together or not at all', (t) => {
  const none = { grpcCertFile: null, grpcKeyFile: null, grpcCaFile: null };
  t.equal(grpcTransport(none), inTheClear);
  for (const name of ['grpcCertFile', 'grpcKeyFile', 'grpcCaFile'] as const) {
    t.throws(() => grpcTransport({ ...none, [name]: 'a.pem' }), SettingsError, name);
  }
  const two = { ...none, grpcCertFile: 'a.pem', grpcKeyFile: 'a.key' };
  t.throws(() => grpcTransport(two), SettingsError, 'without a CA nobody is verified');
  t.end();
});
