import { type InText, inText } from '../amount.js';
import { type Decision, isDecision, type Simulation } from '../decision.js';
import { type CountersignError, UnavailableError } from '../errors.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Facts } from '../http/failure.js';
import { newKey, type Wire } from '../http/wire.js';

type Schemas = components['schemas'];
export type PaymentRequest = Schemas['AuthorizeRequest'];
export type ReversalRequest = Schemas['Reverse'];
export type Reversal = InText<Schemas['Reversal'], 'released_amount'>;

/**
 * Requests a decision. All attempts of one call share one idempotency key, so that they are one
 * payment.
 */
export async function authorize(
  wire: Wire,
  payment: PaymentRequest,
  options?: CallOptions,
): Promise<Decision> {
  const body = { ...payment, idempotency_key: payment.idempotency_key ?? newKey() };
  const asked = { body, options, repeatable: true };
  const heard = await wire.hear('post', '/api/v1/authorize', asked);
  if (!isDecision(heard.body)) throw noDecision(heard.facts);
  return {
    ...heard.body,
    idempotency_key: body.idempotency_key,
    replayed: heard.headers.get('idempotent-replayed') === 'true',
    request_id: heard.facts.requestId ?? '',
  } as Decision;
}

export async function simulate(
  wire: Wire,
  payment: PaymentRequest,
  options?: CallOptions,
): Promise<Simulation> {
  const asked = { body: payment, options, repeatable: true };
  const { body, facts } = await wire.hear('post', '/api/v1/authorize/simulate', asked);
  if (!isDecision(body)) throw noDecision(facts);
  return body as Simulation;
}

/** A full reversal can be repeated safely; a partial one would release its amount twice. */
export async function reverse(
  wire: Wire,
  reversal: ReversalRequest,
  options?: CallOptions,
): Promise<Reversal> {
  const asked = { body: reversal, options, repeatable: reversal.amount === undefined };
  return inText(await wire.call('post', '/api/v1/authorize/reverse', asked), 'released_amount');
}

function noDecision(facts: Facts): CountersignError {
  const message = 'The answer has no decision; is something in between?';
  return new UnavailableError(message, {
    ...facts,
    code: 'UNEXPECTED_ANSWER',
    outcomeUnknown: true,
  });
}
