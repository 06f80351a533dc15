/**
 * Examples of a request, as metadata. Given plainly they would be taken for examples of what comes
 * out of the schema, and left out wherever it normalises what goes in.
 */
export function sent(...examples: unknown[]) {
  return { override: { examples: examples as [] } };
}
