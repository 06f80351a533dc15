interface Sample {
  code: string;
  message: string;
}

/** Errors of one interface as examples, by status, and the field that a 422 names. */
export interface ErrorSamples {
  byStatus: Readonly<Record<number, Sample>>;
  field: string;
}

const byStatus: ErrorSamples['byStatus'] = {
  400: { code: 'BAD_REQUEST', message: 'The body is not valid JSON.' },
  401: { code: 'INVALID_API_KEY', message: 'The API key is missing or not valid.' },
  403: { code: 'TENANT_MISMATCH', message: 'The resource belongs to another Principal.' },
  404: { code: 'NOT_FOUND', message: 'No such resource.' },
  409: { code: 'CONFLICT', message: 'What would be created exists already.' },
  408: { code: 'ERROR', message: 'The body did not arrive in time.' },
  413: { code: 'ERROR', message: 'The body must not exceed 262144 bytes.' },
  415: { code: 'ERROR', message: 'The body must be application/json.' },
  422: { code: 'VALIDATION_ERROR', message: 'The request is not valid: amount is required.' },
  429: { code: 'RATE_LIMITED', message: 'Too many requests; wait and try again.' },
  500: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' },
  503: { code: 'SERVICE_UNAVAILABLE', message: 'A part of the service did not answer in time.' },
};

export const errorSamples: ErrorSamples = { byStatus, field: 'amount' };

const requestId = 'req_6f1c2a54-8a4e-4c39-9a58-0c3f5d1f8b11';

/** An error of the platform envelope as it comes with this status, or null for other bodies. */
export function errorExample(
  schema: unknown,
  { status, baseUrl, samples }: { status: number; baseUrl: string; samples: ErrorSamples },
): unknown {
  const sample = samples.byStatus[status];
  if (!sample || !/\/(Either|Platform)Error"/.test(JSON.stringify(schema ?? null))) return null;
  const errors = [{ field: samples.field, message: 'is required', type: 'required' }];
  return {
    error: {
      ...sample,
      request_id: requestId,
      docs_url: `${baseUrl}/api/v1/docs#errors-${sample.code}`,
      details: status === 422 ? { errors } : {},
    },
  };
}
