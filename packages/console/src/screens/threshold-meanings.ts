/** The part of the OpenAPI description that is used here. */
export interface ApiDocument {
  components: {
    schemas: { PutThresholds?: { properties?: Record<string, { description?: string }> } };
  };
}

/**
 * Description of a threshold from the API documentation, without the default, which is shown beside
 * it; empty if there is none.
 */
export function meaningOf(field: string, document: ApiDocument | null): string {
  const { properties = {} } = document?.components.schemas.PutThresholds ?? {};
  return properties[field]?.description?.replace(/ Default: .*$/, '') ?? '';
}
