import { type WebhookEventType, webhookEventAliases } from '@countersign/kernel/webhook-event';
import type { WebhookEventData } from '@countersign/kernel/webhook-event-data';
import { z } from 'zod';
import { earnedLevel } from './agent.js';
import { moneyText } from './amount.js';
import { decision, reasonCodes, score, severity } from './authorization.js';
import { resolution, signal } from './case.js';
import { suspicion } from './fraud-pattern.js';
import { answeredId } from './id.js';
import { answeredTime } from './time.js';

const amount = moneyText();
const currency = z.string().meta({ examples: ['USD'] });

const payment = {
  authorization_id: answeredId('authorization'),
  agent_id: answeredId('agent').nullable().meta({
    description: 'As requested if there is no such agent; null if the request named only a DID.',
  }),
  decision,
  amount,
  currency,
  processing_time_ms: z.number(),
};

const reasoned = { ...payment, reason_codes: reasonCodes, reason_detail: z.string() };
const multiplied = {
  ...payment,
  cognitive_limit_multiplier: z
    .number()
    .meta({ description: "What the agent's zone leaves of its limits." }),
};

const aboutCase = {
  case_id: answeredId('fraudCase'),
  authorization_id: answeredId('authorization'),
  agent_id: answeredId('agent'),
};

/** The fields of `data`. */
const fieldsOfData = {
  'authorization.decline': { ...reasoned, decision: z.literal('DECLINE') },
  'step_up.created': { ...reasoned, decision: z.literal('STEP_UP') },
  'gate.fired': { ...payment, anomaly_score: score(0.75).meta({ description: 'From 0 to 1.' }) },
  'kya.zone.red': { ...multiplied, zone: z.literal('RED') },
  'kya.zone.critical': { ...multiplied, zone: z.literal('CRITICAL') },
  'session.terminate': { ...multiplied, reason: z.string() },
  'trust.promotion': {
    agent_id: answeredId('agent'),
    authorization_id: answeredId('authorization'),
    new_trust_level: earnedLevel,
    kya_score: score(0.82),
  },
  'fraud.triage.suspected_created': {
    ...aboutCase,
    severity,
    signals: z.array(signal),
    amount,
    currency,
  },
  'fraud.triage.resolved': {
    ...aboutCase,
    resolution,
    resolved_by: z
      .string()
      .meta({ description: 'The Principal, or who reported the outcome that resolved it.' }),
  },
  'fraud.pattern.agto_suspected': {
    pattern_id: answeredId('fraudPattern'),
    ...suspicion,
  },
} satisfies { [T in WebhookEventType]: Fields<WebhookEventData[T]> };

/** Each field and no other, of its type or of fewer values. */
type Fields<T> = { [K in keyof T]: z.ZodType<T[K]> };

const test = z.literal(true).optional().meta({ description: 'Only in a sample.' });

/** `AuthorizationDecline` for authorization.decline. */
function inPascalCase(type: string): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const dataOf = new Map(
  Object.entries(fieldsOfData).map(([type, fields]) => [
    type,
    z.object({ ...fields, test }).meta({ id: `${inPascalCase(type)}EventData` }),
  ]),
);

function eventOf(name: string, data: z.ZodObject) {
  const fields = {
    id: answeredId('event').meta({
      description: 'The same in every attempt, and for each webhook: deduplicate by it.',
    }),
    event: z.literal(name),
    timestamp: answeredTime().meta({
      description: 'When it was sent; another in each attempt. Refuse one that is 5 minutes off.',
    }),
    data,
  };
  return z.object(fields).meta({ id: `${inPascalCase(name)}Event` });
}

export interface AnnouncedEvent {
  /** The type, or its older name. */
  name: string;
  /** The same as the name of a schema. */
  pascalName: string;
  type: WebhookEventType;
  schema: z.ZodObject;
}

/** What a webhook may receive, older names included. */
export const announcedEvents: readonly AnnouncedEvent[] = [...dataOf].flatMap(([type, data]) =>
  namesOf(type).map((name) => ({
    name,
    pascalName: inPascalCase(name),
    type: type as WebhookEventType,
    schema: eventOf(name, data),
  })),
);

function namesOf(type: string): string[] {
  const older = Object.entries(webhookEventAliases).filter(([, current]) => current === type);
  return [type, ...older.map(([name]) => name)];
}
