import type { ActiveFeature, AnomalyResult } from '../anomaly/score.js';
import type { KyaResult } from '../scores/kya.js';
import type { RiskResult } from '../scores/risk.js';
import type { RecordedScores } from './stored-facts.js';

/**
 * The scores as they are stored: without the names of their parts, which would be most of them.
 * Records outlive the code: parts may be appended to these lists, never moved.
 */
export type PackedScores = [
  kya: PackedKya | null,
  zone: RecordedScores['zone'],
  anomaly: [
    model: AnomalyResult['model'],
    score: number,
    triggered: boolean,
    skipped: boolean,
    baselineSize: number,
    features: Array<[name: string, weight: number, strength: number, share: number]>,
  ],
  risk: [
    model: RiskResult['model'],
    score: number,
    components: [
      anomaly: number,
      kya: number,
      velocity: number,
      intentChain: number,
      riskTier: number,
    ],
    condition: RiskResult['condition'],
  ],
];

type PackedKya = [
  model: KyaResult['model'],
  score: number,
  compliance: number,
  outcomes: number,
  consistency: number,
  identity: number,
  tenure: number,
  core: number,
  caps: Array<[name: string, limit: number]>,
];

export function packedScores({ kya, zone, anomaly, risk }: RecordedScores): PackedScores {
  const { components: of } = risk;
  return [
    kya && packedKya(kya),
    zone,
    [
      anomaly.model,
      anomaly.score,
      anomaly.triggered,
      anomaly.skipped,
      anomaly.baselineSize,
      anomaly.features.map(({ name, weight, strength, share }) => [name, weight, strength, share]),
    ],
    [
      risk.model,
      risk.score,
      [of.anomaly, of.kya, of.velocity, of.intentChain, of.riskTier],
      risk.condition,
    ],
  ];
}

function packedKya(kya: KyaResult): PackedKya {
  return [
    kya.model,
    kya.score,
    kya.compliance,
    kya.outcomes,
    kya.consistency,
    kya.identity,
    kya.tenure,
    kya.core,
    kya.caps.map(({ name, limit }) => [name, limit]),
  ];
}

export function unpackedScores([kya, zone, anomaly, risk]: PackedScores): RecordedScores {
  return {
    kya: kya && unpackedKya(kya),
    zone,
    anomaly: unpackedAnomaly(anomaly),
    risk: unpackedRisk(risk),
  };
}

function unpackedKya(list: PackedKya): KyaResult {
  const [model, score, compliance, outcomes, consistency, identity, tenure, core, caps] = list;
  const components = { compliance, outcomes, consistency, identity, tenure };
  return {
    model,
    score,
    ...components,
    core,
    caps: caps.map(([name, limit]) => ({ name, limit })),
  };
}

function unpackedAnomaly(list: PackedScores[2]): AnomalyResult {
  const [model, score, triggered, skipped, baselineSize, packed] = list;
  const features = packed.map(
    ([name, weight, strength, share]): ActiveFeature => ({ name, weight, strength, share }),
  );
  return { model, score, triggered, skipped, baselineSize, features };
}

function unpackedRisk([model, score, parts, condition]: PackedScores[3]): RiskResult {
  const [anomaly, kya, velocity, intentChain, riskTier] = parts;
  return { model, score, components: { anomaly, kya, velocity, intentChain, riskTier }, condition };
}
