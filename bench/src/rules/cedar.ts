import { setFlagsFromString } from 'node:v8';
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { type Asked, type Judge, limits } from './judge.js';

const policySet = 'spending';
const list = (values: readonly string[]): string => JSON.stringify(values);

const policies = `
permit (principal, action == Action::"pay", resource);
forbid (principal, action, resource) when { context.agentStatus != "ACTIVE" };
forbid (principal, action, resource) when { context.verification != "VERIFIED" };
forbid (principal, action, resource) when { context.programStatus != "ACTIVE" };
forbid (principal, action, resource) when { context.mandateStatus != "ACTIVE" };
forbid (principal, action, resource) when { context.currency != "${limits.currency}" };
forbid (principal, action, resource) unless { ${list(limits.mccs)}.contains(context.mcc) };
forbid (principal, action, resource) unless { ${list(limits.countries)}.contains(context.country) };
forbid (principal, action, resource) when { context.cents > ${limits.maxAmount * 100} };
`;

/** The same rules in Cedar, with its policies parsed once. */
export function cedar(): Judge {
  // Works around a crash: V8 of Node.js 20 ends the process when it deoptimises an inlined
  // WebAssembly call.
  setFlagsFromString('--no-turbo-inline-js-wasm-calls');
  const parsed = preparsePolicySet(policySet, { staticPolicies: policies });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed));
  return {
    name: 'cedar-wasm',
    approves: async ({ amount, mcc, country }: Asked) => {
      const answer = statefulIsAuthorized({
        principal: { type: 'Agent', id: 'agt_case' },
        action: { type: 'Action', id: 'pay' },
        resource: { type: 'Mandate', id: 'mnd_case' },
        context: {
          agentStatus: 'ACTIVE',
          verification: 'VERIFIED',
          programStatus: 'ACTIVE',
          mandateStatus: 'ACTIVE',
          currency: 'USD',
          cents: Math.round(Number(amount) * 100),
          mcc,
          country,
        },
        preparsedPolicySetId: policySet,
        entities: [],
      });
      if (answer.type !== 'success') throw new Error(JSON.stringify(answer));
      return answer.response.decision === 'allow';
    },
  };
}
