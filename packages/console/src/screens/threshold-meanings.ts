/** The part of the OpenAPI description that is used here. */
export interface ApiDocument {
  components: {
    schemas: { PutThresholds?: { properties?: Record<string, { description?: string }> } };
  };
}

/** Description of a threshold from the API documentation; empty if there is none. */
export function meaningOf(field: string, document: ApiDocument | null): string {
  return document?.components.schemas.PutThresholds?.properties?.[field]?.description ?? '';
}
