/** A JSON object that a call has answered as text. */
export function readObject(json: string | undefined): Record<string, unknown> {
  return JSON.parse(json ?? 'null') as Record<string, unknown>;
}
