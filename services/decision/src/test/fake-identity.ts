import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import type {
  IdentityDefinition,
  MandateInput,
  SpendingAgentInput,
  SpendingFactsInput,
  SpendingPrincipalInput,
  SpendingProgramInput,
} from '@countersign/proto/identity';
import type { Call, Handlers } from '@countersign/runtime/grpc-types';
import { Stall } from './stall.js';

/** A fake of identity, which answers with what the test sets. */
export class FakeIdentity {
  readonly asked: Asked[] = [];
  /** Answers to the next requests, in order; the last one is repeated. */
  answers: SpendingFactsInput[] = [];
  readonly stall = new Stall();
  /** The environment whose database is away. */
  without: Environment | null = null;

  handlers(): Handlers<IdentityDefinition> {
    const unused = async (): Promise<never> => {
      throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'not asked here' });
    };
    const answering = {
      GetSpendingFacts: (request: Asked, { environment }: Call) => {
        this.asked.push(request);
        if (environment === this.without) throw away();
        return this.#answer();
      },
    };
    return new Proxy(answering, {
      get: (target, name) => Reflect.get(target, name) ?? unused,
    }) as unknown as Handlers<IdentityDefinition>;
  }

  async #answer(): Promise<SpendingFactsInput> {
    await this.stall.wait();
    const [next] = this.answers;
    if (this.answers.length > 1) this.answers.shift();
    return next ?? {};
  }
}

interface Asked {
  clientId: string;
  principalId?: string;
}

function away(): Fault {
  return new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'no database' });
}

export interface AgentPatch {
  agent?: SpendingAgentInput;
  principal?: SpendingPrincipalInput;
  program?: SpendingProgramInput;
  mandate?: MandateInput;
}

const rails = ['card', 'crypto'];

/** An agent whose ordinary payment is approved, changed by `patch`. */
export function spendingFacts(ids: AgentIds, patch: AgentPatch = {}): SpendingFactsInput {
  const { agentId, principalId, mandateId } = ids;
  return {
    actingPrincipalId: principalId,
    agent: {
      id: agentId,
      principalId,
      programId: 'prg_1',
      did: `did:key:${agentId}`,
      status: 'ACTIVE',
      trustLevel: 'REGISTERED',
      capabilities: ['PURCHASE'],
      createdAt: new Date().toISOString(),
      version: 1,
      ...patch.agent,
    },
    principal: {
      id: principalId,
      verificationStatus: 'VERIFIED',
      riskTier: 'LOW',
      version: 1,
      ...patch.principal,
    },
    program: { id: 'prg_1', status: 'ACTIVE', version: 1, rails, ...patch.program },
    mandates: [
      {
        id: mandateId,
        agentId,
        principalId,
        clientId: 'cli_1',
        status: 'ACTIVE',
        rails,
        currency: 'USD',
        maxAmountPerTransaction: '100.00',
        maxDailyAmount: '200.00',
        maxMonthlyAmount: '1000.00',
        validFrom: '2026-01-01T00:00:00.000Z',
        validUntil: '2100-01-01T00:00:00.000Z',
        mandateHash: 'sha256:1',
        createdAt: '2026-01-01T00:00:00.000Z',
        version: 1,
        ...patch.mandate,
      },
    ],
  };
}

export interface AgentIds {
  agentId: string;
  principalId: string;
  mandateId: string;
}
