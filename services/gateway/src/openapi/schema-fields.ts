import type { oas31 } from 'zod-openapi';
import { type Components as Named, resolved } from './references.js';

type Schema = oas31.SchemaObject | oas31.ReferenceObject;
type Components = Named<oas31.SchemaObject>;

interface FieldRow {
  /** Dotted, `[]` for the items of a list. */
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Bounds a page that a mistake in the schemas would otherwise make endless. */
const maxDepth = 8;

/** Every field of a body, nested ones too, in the order of the schema. */
export function fieldRows(schema: Schema, components: Components): FieldRow[] {
  return rowsUnder('', schema, { components, depth: 0 });
}

interface Walk {
  components: Components;
  depth: number;
}

function rowsUnder(prefix: string, given: Schema, walk: Walk): FieldRow[] {
  const schema = plain(given, walk.components);
  if (walk.depth > maxDepth) return [];
  const deeper = { ...walk, depth: walk.depth + 1 };
  if (schema.items && typeof schema.items === 'object') {
    return rowsUnder(`${prefix}[]`, schema.items as Schema, deeper);
  }
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' || prefix === '[]' ? `${prefix}${name}` : `${prefix}.${name}`;
    const row = {
      name: path,
      type: typeName(property as Schema, walk.components),
      required: required.has(name),
      description: described(property as Schema, walk.components),
    };
    return [row, ...rowsUnder(path, property as Schema, deeper)];
  });
}

function typeName(given: Schema, components: Components): string {
  const schema = resolved(given, components);
  if (schema.enum) return schema.enum.map(String).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    return [...new Set(choices.map((choice) => typeName(choice as Schema, components)))].join(
      ' or ',
    );
  }
  if (schema.items) return `list of ${typeName(schema.items as Schema, components)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any');
  return schema.format ? `${type} (${schema.format})` : type;
}

function described(given: Schema, components: Components): string {
  const own = (given as oas31.SchemaObject).description;
  return own ?? resolved(given, components).description ?? '';
}

/** Behind references and `null` alternatives. */
function plain(given: Schema, components: Components): oas31.SchemaObject {
  const schema = resolved(given, components);
  const choice = (schema.anyOf ?? schema.oneOf)?.find(
    (alternative) => (alternative as oas31.SchemaObject).type !== 'null',
  );
  return choice ? plain(choice as Schema, components) : schema;
}
