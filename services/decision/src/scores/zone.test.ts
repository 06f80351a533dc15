import { test } from 'tap';
import { defaultThresholds } from '../thresholds/table.js';
import { cognitiveMultiplier, zoneOf } from './zone.js';

const bounds = { ctsGreenThreshold: 0.7, ctsAmberThreshold: 0.4, ctsRedThreshold: 0.2 };

test('a zone begins exactly at its threshold', (t) => {
  const zones = [
    [1, 'GREEN'],
    [0.7, 'GREEN'],
    [0.6999, 'AMBER'],
    [0.4, 'AMBER'],
    [0.3999, 'RED'],
    [0.2, 'RED'],
    [0.1999, 'CRITICAL'],
    [0, 'CRITICAL'],
  ] as const;
  for (const [score, zone] of zones) t.equal(zoneOf(score, bounds), zone, `${score}`);
  t.end();
});

test('each zone has its own factor on the limit of one transaction', (t) => {
  const factors = { cognitiveMultiplierRed: 0.9, cognitiveMultiplierCritical: 0.1 };
  t.equal(cognitiveMultiplier('GREEN', factors), 1);
  t.equal(cognitiveMultiplier('AMBER', factors), 1);
  t.equal(cognitiveMultiplier('RED', factors), 0.9);
  t.equal(cognitiveMultiplier('CRITICAL', factors), 0.1);
  t.equal(cognitiveMultiplier('CRITICAL', defaultThresholds), 0.25);
  t.end();
});
