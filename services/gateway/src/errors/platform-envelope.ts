import { errorCatalog } from './error-catalog.js';
import type { EnvelopeOptions, Failure } from './failure.js';

/** Clients know no others. */
const platformCodes: ReadonlySet<string> = new Set(errorCatalog.platform.map(({ code }) => code));

const codeByStatus: Record<number, string> = {
  400: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** `{error: {code, message, request_id, docs_url, details}}`, made here and nowhere else. */
export function platformEnvelope(failure: Failure, options: EnvelopeOptions): unknown {
  const known = platformCodes.has(failure.code);
  const code = known ? failure.code : (codeByStatus[failure.status] ?? 'ERROR');
  return {
    error: {
      code,
      message: failure.message,
      request_id: options.requestId,
      docs_url: `${options.baseUrl}/api/v1/docs#errors-${code}`,
      details: detailsOf(failure, known),
    },
  };
}

/** A business rule of the onboarding plane that is met elsewhere keeps its name as a type. */
function detailsOf({ status, code, message, errors }: Failure, known: boolean): object {
  if (errors.length > 0) return { errors };
  if (status !== 422) return {};
  return { errors: [{ field: '', message, type: known ? 'invalid' : code }] };
}
