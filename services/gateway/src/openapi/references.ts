import type { oas31 } from 'zod-openapi';

type Reference = oas31.ReferenceObject;

/** Parts of a document that are referred to by name. */
export type Components<T extends object> = Record<string, T | Reference>;

export function isReference<T extends object>(part: T | Reference): part is Reference {
  return '$ref' in part && part.$ref !== undefined;
}

/** What a reference leads to, which may be another. */
export function referred<T extends object>(
  { $ref }: Reference,
  components: Components<T>,
): T | Reference {
  const component = components[$ref.split('/').at(-1) ?? ''];
  if (!component) throw new Error(`no component ${$ref}`);
  return component;
}

/** The part itself, behind all references. */
export function resolved<T extends object>(part: T | Reference, components: Components<T>): T {
  return isReference(part) ? resolved(referred(part, components), components) : part;
}
