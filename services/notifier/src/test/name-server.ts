import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

interface NameServer {
  /** `host:port`, as a resolver takes it. */
  address: string;
  /** Sets the addresses of a name; a name that was never set does not exist. */
  set(name: string, addresses: string[]): void;
  /** Ignores all further queries for a name. */
  silence(name: string): void;
  /** Number of queries for a name, A and AAAA together. */
  queryCount(name: string): number;
  close(): Promise<void>;
}

const typeA = 1;
const typeAaaa = 28;

/** Answers A and AAAA over UDP with TTL 0, so that a test can change the address of a name. */
export async function startNameServer(): Promise<NameServer> {
  const names = new Map<string, string[]>();
  const counts = new Map<string, number>();
  const silent = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (silent.has(name)) return;
    const known = names.get(name);
    const matching = (known ?? []).filter(
      (address) => address.includes(':') === (type === typeAaaa),
    );
    const records =
      type === typeA || type === typeAaaa ? matching.map((to) => record(to, type)) : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const answer = Buffer.concat([header, query.subarray(12, end), ...records]);
    socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    set: (name, addresses) => {
      names.set(name, addresses);
    },
    silence: (name) => {
      silent.add(name);
    },
    queryCount: (name) => counts.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A record that refers to the name in the question, class IN, TTL 0. */
function record(address: string, type: number): Buffer {
  const data = type === typeA ? Buffer.from(address.split('.').map(Number)) : v6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function v6Bytes(address: string): Buffer {
  const [front = '', back = ''] = address.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':'));
  const gap = 8 - words(front).length - words(back).length;
  const all = [...words(front), ...Array.from({ length: gap }, () => '0'), ...words(back)];
  const bytes = Buffer.alloc(16);
  for (const [index, word] of all.entries())
    bytes.writeUInt16BE(Number.parseInt(word, 16), index * 2);
  return bytes;
}
