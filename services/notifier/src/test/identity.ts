import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { identityService } from '@countersign/proto/identity';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import type { Tenant } from './hook.js';

interface IdentityInTest {
  address: string;
  /** Creates a Principal with codes by e-mail, by SMS or not at all. */
  principal(
    method: 'email' | 'sms' | null,
    given?: Given,
  ): Tenant & { email: string; phone: string };
  /** While it is unavailable, every call fails. */
  setUnavailable(isUnavailable: boolean): void;
  /** What happens while a call is under way. */
  beforeAnswers(work: (() => Promise<unknown>) | null): void;
  close(): Promise<void>;
}

interface Given {
  clientId?: string;
  email?: string;
}

/** Serves GetPrincipal over real gRPC. */
export async function startIdentity(log: Logger): Promise<IdentityInTest> {
  const known = new Map<string, unknown>();
  const lifecycle = new Lifecycle(log);
  let isUnavailable = false;
  let meanwhile: (() => Promise<unknown>) | null = null;
  const port = await startGrpcServer({
    transport: inTheClear,
    service: identityService,
    handlers: {
      GetPrincipal: async ({ id }: { id: string }) => {
        if (isUnavailable)
          throw new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'no' });
        await meanwhile?.();
        const principal = known.get(id);
        if (!principal) throw new Fault('not_found', { code: 'NOT_FOUND', message: 'no' });
        return principal;
      },
    },
    host: '127.0.0.1',
    port: 0,
    log,
    lifecycle,
    metrics: new Metrics('test'),
  } as never);
  return {
    address: `127.0.0.1:${port}`,
    principal(method, given = {}) {
      const principalId = newId('principal');
      const { clientId = newId('client'), email = `${principalId}@example.com` } = given;
      const phone = '+4915112345678';
      known.set(principalId, {
        id: principalId,
        clientId,
        profile: { displayName: 'Ada', email },
        ...(method && { stepUp: { method, ...(method === 'sms' && { phone }) } }),
      });
      return { clientId, principalId, email, phone };
    },
    setUnavailable: (next) => {
      isUnavailable = next;
    },
    beforeAnswers: (work) => {
      meanwhile = work;
    },
    close: () => lifecycle.shutdown(),
  };
}
