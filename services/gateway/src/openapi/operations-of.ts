import type { oas31 } from 'zod-openapi';

export interface DocumentedOperation {
  method: string;
  path: string;
  operation: oas31.OperationObject;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Those of a document's paths or webhooks, in its order. */
export function operationsOf(paths: oas31.PathsObject = {}): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}
