import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { test } from 'tap';
import { fromGrpcError, toGrpcError } from './fault.js';

function failure(code: status): ServiceError {
  const metadata = new Metadata();
  return Object.assign(new Error('of the transport'), { code, details: 'why', metadata });
}

test('a call that may have been carried out is told from one that was not', async (t) => {
  for (const code of [status.DEADLINE_EXCEEDED, status.CANCELLED]) {
    t.equal(fromGrpcError(failure(code), 'Commit').kind, 'deadline', status[code]);
  }
  for (const code of [status.UNAVAILABLE, status.RESOURCE_EXHAUSTED, status.UNIMPLEMENTED]) {
    t.equal(fromGrpcError(failure(code), 'Commit').kind, 'unavailable', status[code]);
  }
});

test('what is no fault crosses without a word of what it says', async (t) => {
  const sent = toGrpcError(new Error('hunter2'));
  t.equal(sent.code, status.INTERNAL);
  const told = fromGrpcError(Object.assign(failure(status.INTERNAL), sent), 'Commit');
  t.has(told, { kind: 'internal', code: 'INTERNAL_ERROR' });
  t.notMatch(told.message, /hunter2/);
});
