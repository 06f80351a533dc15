import type { IncomingMessage } from 'node:http';
import { isRecord } from '@countersign/kernel/is-record';
import { tooManyFailedExchanges } from '../authentication/refusals.js';
import type { Context } from '../context.js';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { parseJson } from '../json/parse.js';
import { textProblem } from '../json/text-problem.js';
import { JsonError } from '../json/value.js';
import { hasBody, readBytes, requireIdentityEncoding, requireMediaType } from './read-body.js';
import type { Check } from './state.js';

/** More than three short fields need. */
const maxBytes = 16 * 1024;
const form = 'application/x-www-form-urlencoded';

type Parts = Pick<Context, 'authentication' | 'clock'>;

interface Sent {
  type: string;
  bytes: Buffer;
}

/**
 * The body of the token endpoint, form or JSON, as fields; each at most once, by RFC 6749. Refused
 * for an address with too many failures. That is checked once the body has arrived, so that many
 * requests which hold their bodies back cannot all pass the check at once.
 */
export function readTokenBody({ authentication, clock }: Parts): Check {
  return async ({ req, state }) => {
    const sent = hasBody(req) ? await readSent(req) : null;
    const blocked = await authentication.failures.blocked(state.ip);
    if (blocked) throw tooManyFailedExchanges(blocked, clock());
    const fields = sent ? fieldsOf(sent) : {};
    state.body = fields;
    state.sentBody = fields;
  };
}

async function readSent(req: IncomingMessage): Promise<Sent> {
  requireIdentityEncoding(req);
  const type = requireMediaType(req, [form, 'application/json']);
  return { type, bytes: await readBytes(req, maxBytes) };
}

function fieldsOf({ type, bytes }: Sent): Record<string, string> {
  const fields = type === form ? formFields(bytes) : jsonFields(bytes);
  if (Object.values(fields).some((value) => textProblem(value) !== null)) {
    throw new OauthRefusal('invalid_request', 'A field contains characters that are not allowed.');
  }
  return fields;
}

function formFields(bytes: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (name in fields) throw new OauthRefusal('invalid_request', `${name} is given twice.`);
    fields[name] = value;
  }
  return fields;
}

/** What is not a string is not one of the fields the exchange knows. */
function jsonFields(bytes: Buffer): Record<string, string> {
  try {
    // This endpoint does not report errors by field.
    const { value } = parseJson(bytes);
    if (!isRecord(value)) {
      throw new OauthRefusal('invalid_request', 'The body must be a JSON object.');
    }
    // Passed over, it would open everything to a token that was meant to open less.
    if (typeof (value.scope ?? '') !== 'string') {
      throw new OauthRefusal('invalid_scope', 'scope must be a text of names with spaces between.');
    }
    const strings = Object.entries(value).filter(([, field]) => typeof field === 'string');
    return Object.fromEntries(strings) as Record<string, string>;
  } catch (error) {
    if (error instanceof JsonError) throw new OauthRefusal('invalid_request', error.message);
    throw error;
  }
}
