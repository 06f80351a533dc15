/** A free object or list that travelled as JSON text; `fallback` where there was none. */
export function parsedJson<T>(text: string | undefined | null, fallback: T): T {
  return text ? (JSON.parse(text) as T) : fallback;
}
