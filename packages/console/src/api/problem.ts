/** Why a call failed, in the words of the API. */
export class Problem extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];

  constructor(message: string, given: Partial<ProblemFacts> = {}) {
    super(message);
    this.name = 'Problem';
    this.status = given.status ?? null;
    this.code = given.code ?? '';
    this.requestId = given.requestId ?? null;
    this.fields = given.fields ?? [];
  }
}

interface ProblemFacts {
  /** Null if there was no response. */
  status: number;
  code: string;
  requestId: string | null;
  fields: readonly FieldProblem[];
}

interface FieldProblem {
  /** Empty if the problem concerns the request as a whole. */
  field: string;
  message: string;
  type: string;
}

interface PlatformError {
  error?: {
    code?: string;
    message?: string;
    request_id?: string;
    details?: { errors?: FieldProblem[] } | null;
  };
}

/** Whether the same request may succeed later. */
export function mayPass({ status }: Problem): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

/** From any error response, also one of a proxy. */
export function problemOf(status: number, body: unknown, requestId: string | null): Problem {
  const { error } = (body ?? {}) as PlatformError;
  if (typeof error !== 'object' || error === null) {
    return new Problem(`The response has status ${status} and no details.`, {
      status,
      requestId,
    });
  }
  return new Problem(error.message ?? '', {
    status,
    code: error.code ?? '',
    requestId: error.request_id ?? requestId,
    fields: error.details?.errors ?? [],
  });
}

/**
 * Converts anything thrown to something displayable; fetch reports network failures as TypeError.
 */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
    return new Problem(
      'The service did not respond in time. The action may have been carried out.',
    );
  }
  if (thrown instanceof TypeError) return new Problem('The service is unreachable.');
  return new Problem(`The console failed: ${String(thrown)}`);
}
