import type { Failure } from './failure.js';

/** A missing Principal is one of the onboarding plane's own business errors. */
const flatNames: Readonly<Record<string, string>> = { PRINCIPAL_NOT_FOUND: 'principal_not_found' };
const flatPattern = /^[a-z][a-z_]*$/;

/**
 * The code of a business rule of the onboarding plane. Null for errors that have the platform
 * envelope there too: validation, authentication, and everything that is not the caller's fault.
 */
export function flatCode(failure: Failure): string | null {
  const code = flatNames[failure.code] ?? failure.code;
  return flatPattern.test(code) ? code : null;
}

/** `{error, message, status, request_id}`, made here and nowhere else. */
export function flatEnvelope({ code, message, status }: Failure, requestId: string): unknown {
  return { error: code, message, status, request_id: requestId };
}
