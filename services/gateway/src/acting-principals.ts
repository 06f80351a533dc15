import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { isId } from '@countersign/kernel/id';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Clients } from './clients.js';

interface Question {
  clientId: string;
  /** As the header or the credential names it. */
  principalId: string | null;
  /** The credential is this Principal's own, which needs no proof. */
  ownPrincipal: boolean;
  /** Whether the verification status matters to what is about to be done. */
  needsStatus: boolean;
  environment: Environment;
  requestId: string;
  deadlineMs: number;
}

interface Acting {
  principalId: string;
  /** Null where it was not asked for. */
  verificationStatus: string | null;
}

const maxKnown = 50_000;

/**
 * Asks identity for whom a call is made. That a Principal belongs to a Client never changes, so it
 * is remembered; how many Principals a Client has, and whether one is verified, is asked each time.
 */
export class ActingPrincipals {
  readonly #clients: Pick<Clients, 'identity'>;
  readonly #known = new BoundedMap<string, true>(maxKnown);

  constructor(clients: Pick<Clients, 'identity'>) {
    this.#clients = clients;
  }

  async resolve(question: Question): Promise<Acting> {
    const { clientId, principalId, environment, requestId, deadlineMs } = question;
    if (principalId !== null && !question.needsStatus && this.#isKnown(question)) {
      return { principalId, verificationStatus: null };
    }
    // Not even the form of an id: nobody's, and answered like one that is somebody else's.
    if (principalId !== null && !isId('principal', principalId)) throw notOfThisClient();
    const answer = await this.#clients.identity.call.ResolveActingPrincipal(
      { clientId, ...(principalId !== null && { principalId }) },
      { environment, requestId, deadlineMs },
    );
    if (answer.outcome === 'not_found') throw notOfThisClient();
    if (answer.outcome !== 'found' || !answer.principalId) throw principalNotNamed(answer.outcome);
    this.#known.set(key({ ...question, principalId: answer.principalId }), true);
    return {
      principalId: answer.principalId,
      verificationStatus: answer.verificationStatus ?? null,
    };
  }

  #isKnown(question: Question): boolean {
    return question.ownPrincipal || this.#known.get(key(question)) === true;
  }
}

/** True where identity could not be asked, which says nothing about the caller. */
export function notResolvable(error: unknown): error is Fault {
  return error instanceof Fault && ['unavailable', 'deadline', 'internal'].includes(error.kind);
}

function key({ environment, clientId, principalId }: Question): string {
  return `${environment} ${clientId} ${principalId}`;
}

function notOfThisClient(): Fault {
  return new Fault('forbidden', {
    code: 'ERROR',
    message: 'X-Principal-Id does not name a Principal of this Client.',
  });
}

function principalNotNamed(outcome: string): Fault {
  const message =
    outcome === 'several'
      ? 'This Client has several Principals: name one in X-Principal-Id.'
      : 'This Client has no Principal to act for.';
  return new Fault('unauthenticated', { code: 'ERROR', message });
}
