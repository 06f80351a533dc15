/** A time in the reader's zone and in UTC. */
interface MomentText {
  /** `2026-11-23 14:03:07`, with `UTC` where that is the same. */
  local: string;
  /** The reader's time zone at that moment: `GMT+1`. */
  zone: string;
  /** `13:03:07 UTC`, with the date if it differs; null if the time is the same. */
  utc: string | null;
}

/** Whether a text is a time as the service formats it; anything else is shown unchanged. */
export function isMoment(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text;
}

/** Null if the text is not a time. */
export function momentText(iso: string, timeZone?: string): MomentText | null {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return null;
  const here = wallClock(at, timeZone);
  const there = wallClock(at, 'UTC');
  if (here.day === there.day && here.time === there.time) {
    return { local: `${here.day} ${here.time} UTC`, zone: here.zone, utc: null };
  }
  return {
    local: `${here.day} ${here.time}`,
    zone: here.zone,
    utc: `${here.day === there.day ? '' : `${there.day} `}${there.time} UTC`,
  };
}

function wallClock(at: Date, timeZone: string | undefined) {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone !== undefined && { timeZone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return {
    day: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    zone: part('timeZoneName'),
  };
}

/** Time until a moment: `4 min 07 s`; null once it has passed. */
export function timeLeft(iso: string, nowMs: number): string | null {
  const seconds = Math.floor((Date.parse(iso) - nowMs) / 1_000);
  if (!(seconds >= 0)) return null;
  const rest = String(seconds % 60).padStart(2, '0');
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${rest} s`;
}
