import { isKeptTime } from '@countersign/kernel/clock';
import type { CreateMandateRequest } from '@countersign/proto/identity';
import type { Report } from '../field-errors.js';

const minimumMs = 60_000;
const maximumYears = 5;
const defaultDays = 365;
const dayMs = 24 * 3_600_000;

interface ValidityContext {
  nowMs: number;
  report: Report;
}

/** By default it ends 365 days after it begins. The end must be 60 seconds to 5 years from now. */
export function readValidity(
  request: Pick<CreateMandateRequest, 'validFrom' | 'validUntil'>,
  { nowMs, report }: ValidityContext,
): { validFrom: Date; validUntil: Date } {
  const now = new Date(nowMs);
  const validFrom = readTime('valid_from', request.validFrom, report) ?? now;
  const latest = new Date(nowMs);
  latest.setUTCFullYear(latest.getUTCFullYear() + maximumYears);
  const validUntil =
    readTime('valid_until', request.validUntil, report) ??
    new Date(Math.min(validFrom.getTime() + defaultDays * dayMs, latest.getTime()));
  if (validUntil.getTime() < nowMs + minimumMs || validUntil > latest) {
    report(
      'valid_until',
      'out_of_range',
      `valid_until must be at least 60 seconds and at most ${maximumYears} years from now.`,
    );
  } else if (validFrom >= validUntil) {
    report('valid_from', 'out_of_range', 'valid_from must be before valid_until.');
  }
  return { validFrom, validUntil };
}

function readTime(field: string, text: string | undefined, report: Report): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  // Years outside 1 to 9999 have another ISO 8601 form, which the mandate hash does not define.
  if (isKeptTime(time.getTime())) return time;
  report(field, 'invalid_value', `${field} must be an ISO 8601 time.`);
  return null;
}
