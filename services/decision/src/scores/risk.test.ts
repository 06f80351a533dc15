import { test } from 'tap';
import { type RiskInput, riskScore } from './risk.js';

const calm: RiskInput = {
  anomalyScore: 0,
  kyaScore: 1,
  velocityIndicator: false,
  intentChainFailed: false,
  riskTier: 'LOW',
};

test('a condition begins exactly at its score', (t) => {
  const burst = { velocityIndicator: true, intentChainFailed: true };
  const conditions: Array<[given: Partial<RiskInput>, score: number, condition: string]> = [
    [{ kyaScore: 0.4002 }, 0.2999, 'CLEAN'],
    [{ kyaScore: 0.4 }, 0.3, 'ELEVATED'],
    [{ anomalyScore: 0.7499 }, 0.5999, 'ELEVATED'],
    [{ anomalyScore: 0.75 }, 0.6, 'HIGH'],
    [{ ...burst, kyaScore: 0.001 }, 0.8498, 'HIGH'],
    [{ ...burst, kyaScore: 0 }, 0.85, 'SEVERE'],
  ];
  for (const [given, score, condition] of conditions) {
    t.match(riskScore({ ...calm, ...given }), { score, condition });
  }
  t.end();
});

test('the tier of the principal adds to the risk, PROHIBITED as much as HIGH', (t) => {
  const addends = { LOW: 0, MEDIUM: 0.1, HIGH: 0.25, PROHIBITED: 0.25 };
  for (const [riskTier, score] of Object.entries(addends)) {
    t.equal(riskScore({ ...calm, riskTier }).score, score, riskTier);
  }
  t.equal(riskScore({ ...calm, riskTier: null }).score, 0, 'of an unknown agent');
  t.end();
});
