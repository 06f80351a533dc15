/** What is read of the published description of the API. */
export interface ApiDocument {
  components: {
    schemas: { PutThresholds?: { properties?: Record<string, { description?: string }> } };
  };
}

/** What each threshold does, in the words of the API's own description; empty where it has none. */
export function meaningOf(field: string, document: ApiDocument | null): string {
  return document?.components.schemas.PutThresholds?.properties?.[field]?.description ?? '';
}
