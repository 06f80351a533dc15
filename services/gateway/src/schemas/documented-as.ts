/**
 * Metadata that describes a schema as something else than what it parses. What the document would
 * say of the text behind it goes: a number has no pattern, and a choice of words no length.
 */
export function documentedAs(form: object) {
  return {
    override: ({ jsonSchema }: { jsonSchema: object }) => {
      for (const word of wordsOfText) delete (jsonSchema as Record<string, unknown>)[word];
      Object.assign(jsonSchema, form);
    },
  };
}

const wordsOfText = ['type', 'pattern', 'minLength', 'maxLength'] as const;
