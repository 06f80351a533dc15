import type { Frame, Frames } from '../stream/frames.js';

/** Messages as JSON, so that a test of the transport needs no contract. */
export const json = {
  serialize: (value: unknown) => Buffer.from(JSON.stringify(value)),
  deserialize: (bytes: Buffer) => JSON.parse(bytes.toString()),
};

interface Codec {
  serialize(value: never): Buffer;
  deserialize(bytes: Buffer): unknown;
}

/** A contract of the test itself: the transport is tested, not the encoding. */
export function method(path: string, stream: boolean, codec: Codec = json) {
  return {
    path,
    requestStream: stream,
    responseStream: stream,
    requestSerialize: codec.serialize,
    requestDeserialize: codec.deserialize,
    responseSerialize: codec.serialize,
    responseDeserialize: codec.deserialize,
    options: { idempotency_level: 'IDEMPOTENT' },
  };
}

/** The messages of a multiplexed stream, as JSON too. */
export const frameCodec = {
  serialize: ({ frames, closing }: Frames) =>
    json.serialize({
      closing,
      frames: frames.map(({ payload, fault, ...rest }) => ({
        ...rest,
        payload: payload?.toString('base64'),
        fault: fault?.toString('base64'),
      })),
    }),
  deserialize: (bytes: Buffer): Frames => {
    const { closing, frames } = json.deserialize(bytes);
    const decode = (text?: string) => (text ? Buffer.from(text, 'base64') : undefined);
    return {
      closing,
      frames: frames.map((frame: Record<string, string>) => ({
        ...frame,
        payload: decode(frame.payload),
        fault: decode(frame.fault),
      })) as Frame[],
    };
  },
};
