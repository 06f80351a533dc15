import { Fault, type FieldError } from '@countersign/kernel/fault';
import { type ZodType, z } from 'zod';
import { boundedErrors, isFull } from '../errors/bounded-errors.js';
import { textProblem } from '../json/text-problem.js';
import { checkAsSent } from '../schemas/check-input.js';
import { fieldErrors } from '../schemas/field-errors.js';
import { idempotencyKeyProblems } from './idempotency-key.js';
import type { Check } from './state.js';

/** What a row says of its input. */
interface InputSchemas {
  params?: ZodType;
  query?: ZodType;
  body?: ZodType;
  /** Whether the row takes the header for it. */
  idempotent?: boolean;
}

/** A row without a body schema takes none; `{}` is what many clients send for nothing. */
const noBody = z.strictObject({});
const noQuery = {};
type Query = Record<string, string | string[] | undefined>;
const noProblems = (): FieldError[] => [];

/**
 * Checks headers, path, query and body against the row; one answer has all errors. `checkBody` says
 * what null means in a body.
 */
export function validate(row: InputSchemas, checkBody = checkAsSent): Check {
  const bodySchema = row.body ?? noBody;
  const inHeaders = row.idempotent ? idempotencyKeyProblems : noProblems;
  return (ctx) => {
    const { state } = ctx;
    const params = state.params as Record<string, string>;
    const query: Query = ctx.req.url?.includes('?') ? ctx.query : noQuery;
    const aroundBody = [...textProblems(params), ...textProblems(query), ...inHeaders(ctx.req)];
    const inParams = inspect(row.params, params);
    const inQuery = inspect(row.query, query);
    state.params = inParams.value;
    state.query = inQuery.value;
    const repeated = withRepeated(inQuery.errors, query);
    const found = [state.bodyProblems, aroundBody, inParams.errors, repeated];
    // What the schema finds would not be listed any more.
    if (isFull(state.bodyProblems)) throw invalid(boundedErrors(found));
    // No body counts as an empty object, so that every required field is reported as missing.
    const sent = state.sentBody === undefined ? {} : state.sentBody;
    const inBody = inspect(bodySchema, sent, checkBody);
    state.body = inBody.value;
    const errors = boundedErrors([...found, inBody.errors]);
    if (errors.length > 0) throw invalid(errors);
  };
}

interface Inspected {
  value: unknown;
  errors: Iterable<FieldError>;
}

/** What was sent, as the schema makes it, and its errors; as it is where there is no schema. */
function inspect(schema: ZodType | undefined, sent: unknown, how = checkAsSent): Inspected {
  if (!schema) return { value: sent, errors: [] };
  const { result, input } = how(schema, sent);
  return { value: result.data, errors: result.success ? [] : fieldErrors(result.error, input) };
}

function invalid(errors: FieldError[]): Fault {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first?.field || 'the body';
  return new Fault('invalid', {
    code: 'VALIDATION_ERROR',
    message: `The request is not valid: ${where} ${first?.message ?? ''}${more}.`,
    errors,
  });
}

/** A parameter that is given twice arrives as a list, and its sender knows of no list. */
function* withRepeated(errors: Iterable<FieldError>, query: Query): Generator<FieldError> {
  for (const error of errors) {
    const repeated = Array.isArray(query[error.field]) && error.type !== 'unrecognized_keys';
    yield repeated ? { ...error, message: 'must be given once' } : error;
  }
}

/** What is decoded from a URL reaches stores and logs as well as what is in a body. */
function textProblems(values: Query): FieldError[] {
  return Object.entries(values).flatMap(([field, value]) => {
    const problem = [value]
      .flat()
      .map((text) => textProblem(text ?? ''))
      .find(Boolean);
    return problem ? [{ field, message: problem, type: 'invalid_characters' }] : [];
  });
}
