import { isRecord } from '@countersign/kernel/is-record';

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

/** Whether the same request may succeed later. */
export function mayPass({ status }: Problem): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

/** From any error response, also one of a proxy, which may be JSON of another shape. */
export function problemOf(status: number, body: unknown, requestId: string | null): Problem {
  const error = isRecord(body) ? body.error : null;
  const fields = isRecord(error) ? fieldsOf(error.details) : null;
  if (!isRecord(error) || fields === null || !isText(error.code) || !isText(error.message)) {
    return foreignAnswer(status, requestId);
  }
  return new Problem(error.message, {
    status,
    code: error.code,
    requestId: isText(error.request_id) ? error.request_id : requestId,
    fields,
  });
}

/** Of an answer that the API does not give, whatever its status says. */
export function foreignAnswer(status: number, requestId: string | null): Problem {
  const message =
    'The answer is not one of Countersign. It may come from a proxy between this page and the ' +
    'service.';
  return new Problem(message, { status, requestId });
}

/** Null if they are not those of the API. */
function fieldsOf(details: unknown): readonly FieldProblem[] | null {
  const errors = (isRecord(details) ? details.errors : null) ?? [];
  return Array.isArray(errors) && errors.every(isFieldProblem) ? errors : null;
}

function isFieldProblem(value: unknown): value is FieldProblem {
  return isRecord(value) && [value.field, value.message, value.type].every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Converts anything thrown to something displayable. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
    return new Problem(
      'The service did not respond in time. The action may have been carried out.',
    );
  }
  return new Problem(`The console failed: ${String(thrown)}`);
}
