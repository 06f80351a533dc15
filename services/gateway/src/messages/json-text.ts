/** A free object travels as JSON text; absent stays absent. */
export function jsonText(value: object | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
