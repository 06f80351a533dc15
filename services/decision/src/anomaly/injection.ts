import type { PaymentFacts } from '../facts/shape.js';
import { comparedAddress } from '../rules/counterparty.js';
import { normalText } from './normal-text.js';
import { traceOf } from './trace.js';

/**
 * Version of the marker list, recorded with the matches; increase it with every change of the
 * list.
 */
export const injectionList = 'injection-2';

/**
 * Traces that injected instructions leave in an agent's own text. Every expression matches in
 * linear time: the text is normalized (single spaces between words) and all repetitions are
 * bounded.
 */
const markers: ReadonlyArray<readonly [name: string, expression: RegExp]> = [
  [
    'INSTRUCTION_OVERRIDE',
    new RegExp(
      '\\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|the|your|my|these|of) ){0,4}' +
        '(?:previous|prior|above|earlier|preceding|original|system|safety|spending) ' +
        '(?:instruction|prompt|rule|message|direction|guideline|polic|limit|constraint)',
    ),
  ],
  [
    'NEW_ROLE',
    new RegExp(
      '<\\|im_start\\|>|\\[system\\]|<system>|' +
        '\\bnew system prompt\\b|\\bdeveloper mode enabled\\b|' +
        '\\byou are now (?:an? |in )?(?:unrestricted|developer|admin|root|jailbroken)|' +
        '\\bact as (?:the |an? )?(?:admin|root|system)',
    ),
  ],
  [
    'SKIPPED_VERIFICATION',
    new RegExp(
      '\\b(?:skip|bypass|disable|circumvent) (?:(?:any|the|all|further|human|manual|user) ){0,3}' +
        '(?:verification|approval|confirmation|(?:security|fraud|identity) check|step-up|2fa)',
    ),
  ],
  [
    'SECRECY',
    new RegExp(
      "\\b(?:do not|don't|never) (?:tell|inform|notify|alert) (?:(?:the|your|my) )?" +
        '(?:user|owner|principal|human|customer|operator)\\b',
    ),
  ],
  [
    'URGENT_DRAIN',
    new RegExp(
      '\\b(?:urgent|urgently|immediately|right now|asap|at once)\\b.{0,80}\\b(?:' +
        '(?:entire|full|whole) (?:balance|funds|wallet)|empty the (?:wallet|account)|' +
        'all (?:(?:the|of|your|available) ){0,3}(?:money|funds)\\b)',
    ),
  ],
  [
    'DRAIN',
    new RegExp(
      '\\b(?:send|transfer|move|withdraw|wire|drain|sweep) (?:out )?' +
        '(?:all|everything|the entire|the whole|the full) (?:of )?(?:(?:the|your|my) )?' +
        '(?:available )?(?:balance|funds|money|wallet|account)\\b',
    ),
  ],
  ['LONG_URL', /\bhttps?:\/\/[^\s]{200}/],
  // Anchored to the start of a run: otherwise a run would be scanned again from each character.
  ['ENCODED_BLOB', /(?:^|[^a-z0-9+/=_-])[a-z0-9+/=_-]{160}/],
];

/** Searched in the text as it was sent, because normalization removes some of these characters. */
const hiddenCharacters = new RegExp(
  '[\\u200b\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff]|' +
    '[\\u200c\\u200d]{3}|[\\u{e0020}-\\u{e007f}]{8}|[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]{3}',
  'u',
);

const address = /\b(?:0x[0-9a-f]{40}|bc1[0-9a-z]{25,60})\b/gi;

/** Names of the markers found in the agent's task reference and reasoning. */
export function injectionMarkers(payment: PaymentFacts): string[] {
  const { taskReference, reasoningSummary } = payment.intentContext;
  const { reasoning } = traceOf(payment);
  const task = normalText(taskReference);
  const text = reasoning === null ? task : `${task} ${reasoning}`;
  const found = markers.filter(([, marker]) => marker.test(text)).map(([name]) => name);
  const sent = reasoningSummary === null ? taskReference : `${taskReference}\n${reasoningSummary}`;
  if (hiddenCharacters.test(sent)) found.push('HIDDEN_CHARACTERS');
  if (namesForeignAddress(sent, payment)) found.push('FOREIGN_ADDRESS');
  return found;
}

function namesForeignAddress(sent: string, { crypto }: PaymentFacts): boolean {
  const own = [crypto?.counterparty, crypto?.fromAddress].map((one) => comparedAddress(one ?? ''));
  return (sent.match(address) ?? []).some((one) => !own.includes(comparedAddress(one)));
}
