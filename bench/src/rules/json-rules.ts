import { Engine } from 'json-rules-engine';
import { type Asked, type Judge, limits } from './judge.js';

/** The same rules for json-rules-engine: each fires if it is violated. */
export function jsonRules(): Judge {
  const violations = [
    { fact: 'agentStatus', operator: 'notEqual', value: 'ACTIVE' },
    { fact: 'verification', operator: 'notEqual', value: 'VERIFIED' },
    { fact: 'programStatus', operator: 'notEqual', value: 'ACTIVE' },
    { fact: 'mandateStatus', operator: 'notEqual', value: 'ACTIVE' },
    { fact: 'currency', operator: 'notEqual', value: limits.currency },
    { fact: 'mcc', operator: 'notIn', value: [...limits.mccs] },
    { fact: 'country', operator: 'notIn', value: [...limits.countries] },
    { fact: 'amount', operator: 'greaterThan', value: limits.maxAmount },
  ];
  const engine = new Engine(
    violations.map((condition) => ({
      conditions: { all: [condition] },
      event: { type: condition.fact },
    })),
  );
  return {
    name: 'json-rules-engine',
    approves: async ({ amount, mcc, country }: Asked) => {
      const { events } = await engine.run({
        agentStatus: 'ACTIVE',
        verification: 'VERIFIED',
        programStatus: 'ACTIVE',
        mandateStatus: 'ACTIVE',
        currency: 'USD',
        amount: Number(amount),
        mcc,
        country,
      });
      return events.length === 0;
    },
  };
}
