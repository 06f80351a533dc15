import type { IncomingMessage } from 'node:http';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { unsupportedMediaType } from '../errors/refusal.js';
import { JsonError, parseJson, textProblem } from '../json.js';
import { hasBody, mediaType, readBytes, requireIdentityEncoding } from './read-body.js';
import type { Check } from './state.js';

/** Three short fields; nothing longer has anything to do with them. */
const maxBytes = 16 * 1024;
const form = 'application/x-www-form-urlencoded';

/** The body of the token endpoint, form or JSON, as fields; each at most once, by RFC 6749. */
export const readTokenBody: Check = async (ctx) => {
  const fields = hasBody(ctx.req) ? await readFields(ctx.req) : {};
  ctx.state.body = fields;
  ctx.state.sentBody = fields;
};

async function readFields(req: IncomingMessage): Promise<Record<string, string>> {
  requireIdentityEncoding(req);
  const type = mediaType(req);
  if (type !== form && type !== 'application/json') {
    throw unsupportedMediaType(`${form} or application/json`);
  }
  const bytes = await readBytes(req, maxBytes);
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
    const { value } = parseJson(bytes);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new OauthRefusal('invalid_request', 'The body must be a JSON object.');
    }
    const strings = Object.entries(value).filter(([, field]) => typeof field === 'string');
    return Object.fromEntries(strings) as Record<string, string>;
  } catch (error) {
    if (error instanceof JsonError) throw new OauthRefusal('invalid_request', error.message);
    throw error;
  }
}
