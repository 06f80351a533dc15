import { createServer, type Server } from 'node:net';
import { test } from 'tap';
import { PortPicker } from './ports.js';

const many = 60;

async function picked(picker: PortPicker): Promise<number[]> {
  const ports: number[] = [];
  for (let i = 0; i < many; i += 1) ports.push(await picker.pick());
  return ports;
}

test('two who pick before either listens never get the same port', async (t) => {
  const one = await picked(new PortPicker());
  const two = await picked(new PortPicker());
  t.equal(new Set([...one, ...two]).size, 2 * many);
});

test('nor do two who pick many ports at one time', async (t) => {
  const pickMany = (picker: PortPicker) =>
    Promise.all(Array.from({ length: many }, () => picker.pick()));
  const one = await pickMany(new PortPicker());
  const two = await pickMany(new PortPicker());
  t.equal(new Set([...one, ...two]).size, 2 * many);
});

test('a port that somebody listens on is passed over', async (t) => {
  const picker = new PortPicker();
  const taken = (await picker.pick()) + 1;
  const server: Server = createServer();
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  t.notOk((await picked(picker)).includes(taken));
});
