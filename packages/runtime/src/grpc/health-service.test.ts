import type { Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import { test } from 'tap';
import { addHealthService } from './health-service.js';

/** The service with one watcher, and the checks of its database, which the test ends. */
function healthService() {
  let methods: UntypedServiceImplementation = {};
  const addService: Server['addService'] = (_definition, given) => {
    methods = given;
  };
  const asked: Array<(error?: Error) => void> = [];
  const database = () =>
    new Promise<void>((resolve, reject) => {
      asked.push((error) => (error ? reject(error) : resolve()));
    });
  const health = addHealthService({ addService } as Server, { database });
  const request = { service: '' };
  const check = () =>
    new Promise((resolve) => {
      const answered = (_error: unknown, value: { status: string }) => resolve(value.status);
      methods.check?.({ request } as never, answered as never);
    });
  const told: string[] = [];
  const write = ({ status }: { status: string }) => told.push(status);
  methods.watch?.({ request, write, on: () => {} } as never, undefined as never);
  return { health, asked, check, told };
}

test('those who ask at once share a check, and later ones ask again', async (t) => {
  const { asked, check } = healthService();
  const answers = [check(), check(), check()];
  t.equal(asked.length, 1);
  asked[0]?.();
  t.same(await Promise.all(answers), ['SERVING', 'SERVING', 'SERVING']);
  const later = check();
  asked[1]?.(new Error('away'));
  t.equal(await later, 'NOT_SERVING');
});

test('who balances is told of the process, not of a database that all replicas lack', async (t) => {
  const { health, asked, check, told } = healthService();
  const answer = check();
  asked[0]?.(new Error('away'));
  t.equal(await answer, 'NOT_SERVING');
  t.same(told, ['SERVING']);
  health.setStatus('', 'NOT_SERVING');
  t.same(told, ['SERVING', 'NOT_SERVING']);
  const stopping = check();
  asked[1]?.();
  t.equal(await stopping, 'NOT_SERVING', 'even with its database');
});
