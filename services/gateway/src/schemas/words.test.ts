import { test } from 'tap';
import { z } from 'zod';
import { operatorRoutes } from '../operator/table.js';
import { routes } from '../routes.js';
import { fieldErrors } from './field-errors.js';
import { inWords } from './words.js';

interface Node {
  $ref?: string;
  properties?: Record<string, Node>;
  items?: Node;
  $defs?: Record<string, Node>;
}

const wrong = [null, true, '', 'x'.repeat(70_000), -1, 1.5, 1e300, [], [null], {}, { unheard: 1 }];
const long = Array.from({ length: 3_000 }, (_, index) => `x${index}`);

/** Values that a schema of this form refuses for one reason each, in every depth. */
function* mistakes(node: Node, definitions: Record<string, Node>): Generator<unknown> {
  const { properties = {}, items } = resolved(node, definitions);
  yield* wrong;
  yield long;
  for (const [name, member] of Object.entries(properties)) {
    for (const value of mistakes(member, definitions)) yield { [name]: value };
  }
  if (items) for (const value of mistakes(items, definitions)) yield [value];
}

function resolved(node: Node, definitions: Record<string, Node>): Node {
  const name = node.$ref?.split('/').at(-1);
  return name === undefined ? node : (definitions[name] ?? {});
}

const inputs = [...routes, ...operatorRoutes].flatMap((row) =>
  (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = row[part];
    return schema ? [{ name: `${row.method} ${row.path} ${part}`, schema }] : [];
  }),
);

/** Each message once, with where it was met first. */
function refusals(): Map<string, string> {
  const told = new Map<string, string>();
  for (const { name, schema } of inputs) {
    const form = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node;
    for (const value of mistakes(form, form.$defs ?? {})) {
      for (const { field, message } of refusalsOf(schema, value)) {
        if (!told.has(message)) told.set(message, `${name}: ${field} ${message}`);
      }
    }
  }
  return told;
}

function refusalsOf(schema: z.ZodType, value: unknown) {
  const { error } = schema.safeParse(value, inWords);
  return error ? [...fieldErrors(error, value)] : [];
}

test('no refusal is in the words of a library', (t) => {
  t.ok(inputs.length > 30);
  const told = refusals();
  for (const [message, where] of told) t.match(message, /^(must|is|has|does) /, where);
  for (const message of [
    'must be a string',
    'must be an object',
    'must be a list',
    'must be a number',
    'must be a whole number',
    'must be true or false',
    'must be CARD or CRYPTO',
    'must be at least 0',
    'must be at most 1',
  ]) {
    t.ok(told.has(message), message);
  }
  t.end();
});
