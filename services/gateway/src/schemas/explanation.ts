import { z } from 'zod';
import { counterFields, decision, exampleHash, reasonCodes } from './authorization.js';
import { answeredId } from './id.js';

const ruleOutcome = z
  .object({
    rule: z.string().meta({ examples: ['per-transaction'] }),
    outcome: z.enum(['FIRED', 'PASSED']).meta({ examples: ['PASSED'] }),
    reason_codes: reasonCodes,
  })
  .meta({ id: 'RuleOutcome' });

const evaluatedWith = z
  .object({
    rule_set: z.string().meta({
      description: 'Version of the rules.',
      examples: ['rules-4'],
    }),
    models: z.object({ kya: z.string(), anomaly: z.string(), risk: z.string() }).meta({
      description: 'Versions of the score models.',
      examples: [{ kya: 'kya-1', anomaly: 'anomaly-1', risk: 'risk-1' }],
    }),
    policy_hash: z.string().meta({
      description: 'Hash of both, and of the recorded thresholds and mandate.',
      examples: [exampleHash],
    }),
  })
  .meta({ id: 'EvaluatedWith' });

const counters = z.object(counterFields).meta({ id: 'UsedLimits' });

const kept = z.record(z.string(), z.unknown());

export const explanation = z
  .object({
    authorization_id: answeredId('authorization'),
    decision,
    reason_detail: z.string().meta({
      description:
        'What the caller was told, word for word, as recorded; empty where the recorded answer ' +
        'was changed beyond reading.',
      examples: [
        '60.00 USD is 10.00 USD above the limit of 50.00 USD for one transaction, ' +
          'send no more than that.',
      ],
    }),
    counters: counters.nullable().meta({
      description:
        'What was used of the limits then, as it was answered, in the currency of the mandate; ' +
        'with an approval itself. Null where the answer failed safe, without having read it.',
    }),
    policy_hash: z.string().meta({
      description:
        'Hash of the rules, score models, thresholds and mandate that were used, as recorded.',
      examples: [exampleHash],
    }),
    input_hash: z.string().meta({
      description: 'Hash of the recorded facts.',
      examples: [exampleHash],
    }),
    judged: z.boolean().meta({
      description: 'False for a fail-safe decision, which no rules were evaluated for.',
      examples: [true],
    }),
    facts_intact: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the recorded facts still make the `input_hash` on record; only where judged. ' +
          'False as well where a part of them is missing from the database, or was changed ' +
          'beyond reading: `npm run verify-log` names it, `inputs` has what is left, and `rules` ' +
          'is empty.',
        examples: [true],
      }),
    reproduced: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether judging the recorded facts anew gives the recorded decision, reason codes and ' +
          '`scores`, with all of their parts; only where judged. False for intact facts where a ' +
          'release since has changed a rule or a score: then `evaluated_with.policy_hash` is ' +
          'another than `policy_hash`. Not compared are `policy_hash`, `reason_detail` and ' +
          '`counters`: a release may reword a reason, and facts do not have what was used. ' +
          'Whether these were changed, `npm run verify-log` tells.',
        examples: [true],
      }),
    reason_codes: reasonCodes.optional().meta({
      description: 'Of the first decision, evaluated again; absent where that is not possible.',
    }),
    evaluated_with: evaluatedWith.optional().meta({
      description: 'The rules and score models of the release that has evaluated the facts again.',
    }),
    rules: z
      .array(ruleOutcome)
      .meta({ description: 'All rules, evaluated again from the recorded facts, in their order.' }),
    scores: kept.nullable().meta({
      description:
        'The parts of `kya`, `anomaly` (how many payments it was compared with; weight, strength ' +
        'and share of each feature that spoke) and `risk`, and `zone`; null where not judged, or ' +
        'where they were changed beyond reading.',
      examples: [{ zone: 'AMBER' }],
    }),
    inputs: kept.meta({
      description: 'The recorded facts: payment, agent, mandate, limits, thresholds, profile.',
      examples: [{ decided_at: '2026-11-21T09:30:00.000Z' }],
    }),
  })
  .meta({ id: 'Explanation' });
