import { EventEmitter, once } from 'node:events';
import { test } from 'tap';
import { createDispatcher } from '../grpc/dispatcher.js';
import { createLog, type Logger } from '../log.js';
import { Metrics } from '../metrics.js';
import { json, method } from '../test/frame-codec.js';
import type { Frames } from './frames.js';
import { StreamServer } from './server.js';

/** The server's end of a stream, which tells of what is written to it. */
class Stream extends EventEmitter {
  writable = true;
  sendMetadata(): void {}
  end(): void {}
  write(written: Frames): boolean {
    return this.emit('written', written);
  }
}

test('a message that cannot be read or written is a defect, of which is told', async (t) => {
  const said: unknown[] = [];
  const silent = createLog({ service: 'test', level: 'silent' });
  const log = { ...silent, error: (about: object) => void said.push(about) } as unknown as Logger;
  const service = { Echo: method('/test.v1.Test/Echo', false) };
  const handlers = { Echo: async (value: unknown) => value };
  const metrics = new Metrics('test');
  const dispatcher = createDispatcher({ handlers, service: service as never, log, metrics });
  const responseSerialize = (): Buffer => {
    throw new TypeError('no such field');
  };
  const codecs = { Echo: { ...service.Echo, responseSerialize } };
  const streams = new StreamServer({ dispatcher, codecs, log });
  const stream = new Stream();
  streams.open(stream as never);
  const answered = once(stream, 'written');
  const facts = { method: 'Echo', timeoutMs: 1_000, requestId: 'r' };
  const frames = [
    { id: 1, ...facts, payload: json.serialize({}) },
    { id: 2, ...facts, payload: Buffer.from('{') },
  ];
  stream.emit('data', { frames });
  const [{ frames: answers }] = (await answered) as [Frames];
  t.same(answers.map(({ id }) => id).sort(), [1, 2]);
  for (const { fault } of answers) t.match(json.deserialize(fault ?? Buffer.of()), internalFault);
  t.same(said.length, 2);
  t.match(said, [
    { err: SyntaxError, method: 'Echo', requestId: 'r' },
    { err: { message: 'no such field' }, method: 'Echo', requestId: 'r' },
  ]);
  stream.emit('close');
});

const internalFault = { kind: 'internal', code: 'INTERNAL_ERROR' };
