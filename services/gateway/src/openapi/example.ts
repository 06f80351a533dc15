import type { oas31 } from 'zod-openapi';
import { type Components, isReference, referred } from './references.js';

type Schema = oas31.SchemaObject | oas31.ReferenceObject | boolean;

interface Options {
  components: Components<oas31.SchemaObject>;
  /** Requests show what must be sent, answers everything that comes. */
  optional: boolean;
}

/**
 * A value of a schema, made of the examples that its parts carry, so that whole examples cannot
 * disagree with the parts they are made of.
 */
export function exampleOf(schema: Schema, options: Options): unknown {
  if (typeof schema === 'boolean') return null;
  const given = schema as oas31.SchemaObject;
  // Beside a reference too: there it is of this place, and the other of any.
  if (given.examples && given.examples.length > 0) return given.examples[0];
  if (isReference(schema)) return exampleOf(referred(schema, options.components), options);
  if (given.const !== undefined) return given.const;
  if (given.default !== undefined) return given.default;
  if (given.enum && given.enum.length > 0) return given.enum[0];
  const [choice] = given.anyOf ?? given.oneOf ?? given.allOf ?? [];
  if (choice) return exampleOf(choice as Schema, options);
  return exampleOfType(given, options);
}

function exampleOfType(schema: oas31.SchemaObject, options: Options): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object':
      return exampleObject(schema, options);
    case 'array':
      return schema.maxItems === 0 || !schema.items
        ? []
        : [exampleOf(schema.items as Schema, options)];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'string':
      return 'text';
    default:
      return null;
  }
}

function exampleObject(schema: oas31.SchemaObject, options: Options): unknown {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => options.optional || required.has(name))
    .map(([name, property]) => [name, exampleOf(property as Schema, options)]);
  return Object.fromEntries(fields);
}
