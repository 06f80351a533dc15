import {
  createDocument,
  type oas31,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { version } from '../version.js';
import { type ErrorSamples, errorExample } from './error-example.js';
import { exampleOf } from './example.js';
import { type Operation, pathsOf } from './operation.js';
import { operationsOf } from './operations-of.js';

export type OpenApiDocument = oas31.OpenAPIObject;

/** What one of the two interfaces says of itself. */
interface Described {
  title: string;
  /** What a reader needs before the first operation; Markdown. */
  guide: string;
  serverUrl: string;
  /** Where errors are explained. */
  baseUrl: string;
  errorSamples: ErrorSamples;
  /** The chapters, in reading order. */
  tags: oas31.TagObject[];
  securitySchemes: ZodOpenApiComponentsObject['securitySchemes'];
  operations: readonly Operation[];
  webhooks?: ZodOpenApiPathsObject;
}

/** An OpenAPI 3.1 document with an example for every body. */
export function compose({ operations, webhooks, ...described }: Described): OpenApiDocument {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: described.title,
        version,
        description: described.guide,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: described.serverUrl }],
      tags: described.tags,
      paths: pathsOf(operations),
      ...(webhooks && { webhooks }),
      components: { securitySchemes: described.securitySchemes },
    },
    {
      override: ({ zodSchema, jsonSchema }) => {
        dropSafeIntegerBounds(jsonSchema);
        if (isAnswered(zodSchema)) delete jsonSchema.additionalProperties;
      },
    },
  );
  openReferences(document);
  addExamples(document, described);
  return document;
}

/**
 * An object that is not strict is of an answer. Its document leaves room for fields that a later
 * release adds: a program that was generated today would otherwise refuse them.
 */
function isAnswered({ _zod: { def } }: { _zod: { def: object } }): boolean {
  return 'shape' in def && !('catchall' in def && def.catchall);
}

/** Beside a reference the generator repeats what the schema that it leads to said before. */
function openReferences(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  if (typeof schema.$ref === 'string') delete schema.additionalProperties;
  for (const child of Object.values(schema)) openReferences(child);
}

/** What any integer obeys anyway says nothing to a reader. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function addExamples(
  document: OpenApiDocument,
  { baseUrl, errorSamples: samples }: Pick<Described, 'baseUrl' | 'errorSamples'>,
): void {
  const components = document.components?.schemas ?? {};
  for (const { operation } of operationsOf(document.paths)) {
    const { requestBody, responses } = operation;
    for (const media of mediaTypes(requestBody)) {
      media.example = exampleOf(media.schema ?? {}, { components, optional: false });
    }
    for (const media of Object.values(responses ?? {}).flatMap(mediaTypes)) {
      media.example = exampleOf(media.schema ?? {}, { components, optional: true });
    }
  }
  for (const [name, response] of Object.entries(document.components?.responses ?? {})) {
    const status = Number(name.slice(-3));
    for (const media of mediaTypes(response)) {
      media.example =
        errorExample(media.schema, { status, baseUrl, samples }) ??
        exampleOf(media.schema ?? {}, { components, optional: true });
    }
  }
}

function mediaTypes(holder: unknown): oas31.MediaTypeObject[] {
  const { content } = (holder ?? {}) as { content?: oas31.ContentObject };
  return Object.values(content ?? {});
}
