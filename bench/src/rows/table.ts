import { throughput } from './p1-throughput.js';
import { cpu } from './p2-cpu.js';
import { floor } from './p3-floor.js';
import { tail } from './p4-tail.js';
import { overload } from './p5-overload.js';
import { hotMandate } from './p6-hot-mandate.js';
import { growth } from './p7-growth.js';
import { roundTrips } from './p8-round-trips.js';
import { lists } from './p9-lists.js';
import { webhooks } from './p10-webhooks.js';
import { outcomeBatch } from './p11-outcome-batch.js';
import { replicas } from './p12-replicas.js';
import { credentials } from './p13-credentials.js';
import { memory } from './p14-memory.js';
import { coldStart } from './p15-cold-start.js';
import type { Row } from './row.js';

export const rows: readonly Row[] = [
  throughput,
  cpu,
  floor,
  tail,
  overload,
  hotMandate,
  growth,
  roundTrips,
  lists,
  webhooks,
  outcomeBatch,
  replicas,
  credentials,
  memory,
  coldStart,
];
