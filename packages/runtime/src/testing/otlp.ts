/**
 * Decodes OTLP by field numbers instead of the library that encoded it: a test that uses the same
 * library on both sides would prove nothing.
 */
export interface ReceivedSpan {
  service: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number;
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentId: string;
  traceState: string;
  attributes: Record<string, unknown>;
  failed: boolean;
  statusMessage: string;
}

export function readSpans(body: Buffer): ReceivedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0] ?? empty, 1);
    const service = String(resource['service.name']);
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => readSpan(span, service)),
    );
  });
}

function readSpan(span: Buffer, service: string): ReceivedSpan {
  const status = messages(span, 15)[0] ?? empty;
  return {
    service,
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    traceState: bytes(span, 3).toString(),
    parentId: bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    kind: Number(fields(span).find(({ number }) => number === 6)?.value ?? 0),
    attributes: attributesOf(span, 9),
    statusMessage: bytes(status, 2).toString(),
    failed: fields(status).some(({ number, value }) => number === 3 && value === 2n),
  };
}

function attributesOf(message: Buffer, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(message, number).map((pair) => [
      bytes(pair, 1).toString(),
      anyValue(messages(pair, 2)[0] ?? empty),
    ]),
  );
}

/** A value has exactly one of these fields: string, boolean, integer, double, array. */
function anyValue(any: Buffer): unknown {
  const [field] = fields(any);
  if (!field) return null;
  const { number, value } = field;
  if (number === 1) return (value as Buffer).toString();
  if (number === 2) return value === 1n;
  if (number === 3) return Number(value);
  if (number === 4) return (value as Buffer).readDoubleLE();
  return messages(value as Buffer, 1).map(anyValue);
}

interface Field {
  number: number;
  value: bigint | Buffer;
}

const empty = Buffer.alloc(0);

function messages(message: Buffer, number: number): Buffer[] {
  return fields(message).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );
}

function bytes(message: Buffer, number: number): Buffer {
  return messages(message, number)[0] ?? empty;
}

function fields(message: Buffer): Field[] {
  const found: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = varint(message, at);
    const number = Number(tag.value >> 3n);
    const wire = Number(tag.value & 7n);
    const start = tag.end;
    if (wire === 0) {
      const { value, end } = varint(message, start);
      found.push({ number, value });
      at = end;
      continue;
    }
    const long = wire === 2 ? varint(message, start) : { value: wire === 1 ? 8n : 4n, end: start };
    at = long.end + Number(long.value);
    found.push({ number, value: message.subarray(long.end, at) });
  }
  return found;
}

function varint(message: Buffer, from: number): { value: bigint; end: number } {
  let value = 0n;
  for (let at = from, shift = 0n; ; at += 1, shift += 7n) {
    const byte = message[at];
    if (byte === undefined) throw new Error('the message ends within a number');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}
