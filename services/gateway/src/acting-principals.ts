import type { Environment } from '@countersign/kernel/environment';
import { Fault, isCallerMistake, notOfThisClient } from '@countersign/kernel/fault';
import { isId } from '@countersign/kernel/id';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Trace } from '@countersign/runtime/trace';
import type { Clients } from './clients.js';

interface Asking {
  clientId: string;
  environment: Environment;
  requestId: string;
  trace?: Trace;
}

interface Question extends Asking {
  /** As the header or the credential names it. */
  principalId: string | null;
  /** The credential is this Principal's own, which needs no proof. */
  ownPrincipal: boolean;
  /** Whether the verification status matters to what is about to be done. */
  needsStatus: boolean;
  deadlineMs: number;
}

interface Acting {
  principalId: string;
  /** Null where it was not asked for. */
  verificationStatus: string | null;
}

/** A Principal named in a header that this process does not know to be the Client's. */
export interface PrincipalClaim {
  principalId: string;
  /** Asks identity: throws for another Client's Principal, resolves where identity is away. */
  settle: (withinMs?: number) => Promise<void>;
  /** To be called once another service has confirmed that it is the Client's. */
  holds: () => void;
}

const maxKnown = 50_000;
const settleMs = 500;

/**
 * Resolves the Principal a call acts for by asking identity. Which Client a Principal belongs to
 * never changes and is cached; how many Principals a Client has, and whether one is verified, is
 * asked each time.
 */
export class ActingPrincipals {
  readonly #clients: Pick<Clients, 'identity'>;
  readonly #known = new BoundedMap<string, true>(maxKnown);

  constructor(clients: Pick<Clients, 'identity'>) {
    this.#clients = clients;
  }

  async resolve(question: Question): Promise<Acting> {
    const { principalId, needsStatus, ownPrincipal } = question;
    if (principalId !== null && !needsStatus) {
      if (ownPrincipal || this.#isKnown(question, principalId)) {
        return { principalId, verificationStatus: null };
      }
    }
    if (principalId !== null) requireForm(principalId);
    return this.#ask(question);
  }

  /** Null where the Principal is known to be the Client's. */
  claim(asking: Asking, principalId: string): PrincipalClaim | null {
    if (this.#isKnown(asking, principalId)) return null;
    requireForm(principalId);
    return {
      principalId,
      settle: async (withinMs = settleMs) => {
        const deadlineMs = Math.min(settleMs, Math.max(1, withinMs));
        await this.#ask({ ...asking, principalId, deadlineMs }).catch(unlessAway);
      },
      holds: () => this.#remember(asking, principalId),
    };
  }

  async #ask(question: Asking & Pick<Question, 'principalId' | 'deadlineMs'>): Promise<Acting> {
    const { clientId, principalId, environment, requestId, deadlineMs, trace } = question;
    const answer = await this.#clients.identity.call.ResolveActingPrincipal(
      { clientId, ...(principalId !== null && { principalId }) },
      { environment, requestId, deadlineMs, trace },
    );
    if (answer.outcome === 'not_found') throw notOfThisClient();
    if (answer.outcome !== 'found' || !answer.principalId) throw principalNotNamed(answer.outcome);
    this.#remember(question, answer.principalId);
    return {
      principalId: answer.principalId,
      verificationStatus: answer.verificationStatus ?? null,
    };
  }

  #remember(asking: Asking, principalId: string): void {
    this.#known.set(key(asking, principalId), true);
  }

  #isKnown(asking: Asking, principalId: string): boolean {
    return this.#known.get(key(asking, principalId)) === true;
  }
}

/** An outage of identity is not held against the caller. */
function unlessAway(error: unknown): void {
  if (!(error instanceof Fault) || isCallerMistake(error)) throw error;
}

/** A malformed id is answered like that of another Client's Principal. */
function requireForm(principalId: string): void {
  if (!isId('principal', principalId)) throw notOfThisClient();
}

function key({ environment, clientId }: Asking, principalId: string): string {
  return `${environment} ${clientId} ${principalId}`;
}

/** The type tells it from a token that is not valid, which has the same status and code. */
function principalNotNamed(outcome: string): Fault {
  const message =
    outcome === 'several'
      ? 'This Client has several Principals: name one in X-Principal-Id.'
      : 'This Client has no Principal to act for.';
  const why = { field: 'X-Principal-Id', message: 'names nobody', type: 'principal_required' };
  return new Fault('unauthenticated', { code: 'ERROR', message, errors: [why] });
}
