import { isDeepStrictEqual } from 'node:util';
import { errorResponses } from '../operator/openapi/errors.js';
import { operatorRoutes } from '../operator/table.js';
import { platformError } from '../schemas/errors.js';

const rows = operatorRoutes.map((row) => ({
  ...row,
  expression: new RegExp(`^${row.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** Why an answer is not the one that the operator's table has for its row, or null. */
export function operatorMistake(
  asked: { method: string; path: string },
  { status, text, json }: { status: number; text: string; json: unknown },
): string | null {
  if (asked.method === 'HEAD') return null;
  const [path = ''] = asked.path.split('?');
  const row = rows.find(
    ({ method, expression }) => method === asked.method && expression.test(path),
  );
  if (row && !(status in row.responses) && !(status in errorResponses(row))) {
    return `${status} is not an answer of ${row.action}`;
  }
  if (status >= 400) return platformError.safeParse(json).success ? null : text;
  const schema = row?.responses[status];
  if (!schema) return row?.contentType || text === '' ? null : text;
  const { data, error } = schema.safeParse(json);
  return isDeepStrictEqual(data, json) ? null : `${row?.action}: ${error ?? text}`;
}
