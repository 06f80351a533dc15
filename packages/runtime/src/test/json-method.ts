import type { MethodDefinition } from '@grpc/proto-loader';

/** A method of a test's own contract, in JSON, so that the transport needs no service. */
export function jsonMethod<Message extends object>(
  name: string,
  idempotencyLevel = 'IDEMPOTENCY_UNKNOWN',
): MethodDefinition<Message, Message> {
  const serialize = (message: Message): Buffer => Buffer.from(JSON.stringify(message));
  const deserialize = (bytes: Buffer): Message => JSON.parse(bytes.toString()) as Message;
  return {
    path: `/test.v1.Test/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
    options: { idempotency_level: idempotencyLevel },
  } as MethodDefinition<Message, Message>;
}
