import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'tap';
import { readBytes } from './read-body.js';

test('nobody waits for the body of a request that has been given up', async (t) => {
  const request = new IncomingMessage(new Socket());
  const closed = once(request, 'close');
  request.destroy();
  await closed;
  await t.rejects(readBytes(request, 1), { message: 'The body ended too early.' });
});
