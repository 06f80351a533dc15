/** Why a call did not do what it should, in the API's own words. */
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
  /** Null where nothing was answered. */
  status: number;
  code: string;
  requestId: string | null;
  fields: readonly FieldProblem[];
}

export interface FieldProblem {
  /** Empty where it is about the call as a whole. */
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

/** Of an answer that is no success; also of one that something in between gave. */
export function problemOf(status: number, body: unknown, requestId: string | null): Problem {
  const { error } = (body ?? {}) as PlatformError;
  if (typeof error !== 'object' || error === null) {
    return new Problem(`The answer has the status ${status} and says nothing else.`, {
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

/** Whatever was thrown, as something that can be shown; fetch tells of a network by a TypeError. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
    return new Problem('The service did not answer in time. What was asked may have happened.');
  }
  if (thrown instanceof TypeError) return new Problem('The service cannot be reached.');
  return new Problem(`The console failed: ${String(thrown)}`);
}
