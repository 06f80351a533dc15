import { amountText } from '../amount.js';
import { momentText } from '../moment.js';
import { hrefOfId } from '../route.js';

/** By the reader's clock, with UTC beside; a dash where there is no time. */
export function Moment({ at }: { at: string | null }) {
  const text = at === null ? null : momentText(at);
  if (!text) return <span class="quiet">{at ?? '–'}</span>;
  return (
    <time class="moment" dateTime={at ?? ''} title={`${text.local} ${text.zone}`}>
      {text.local} <span class="quiet">{text.utc}</span>
    </time>
  );
}

interface MoneyProps {
  amount: string | null;
  currency: string;
}

/** Decimal text from the answer to the screen. */
export function Money({ amount, currency }: MoneyProps) {
  if (amount === null) return <span class="quiet">no limit</span>;
  return (
    <span class="money">
      {amountText(amount, currency)} {currency}
    </span>
  );
}

/** An id, as a link where it has a screen. */
export function Id({ id }: { id: string | null }) {
  if (id === null) return <span class="quiet">–</span>;
  const href = hrefOfId(id);
  return href ? (
    <a class="id" href={href}>
      {id}
    </a>
  ) : (
    <code class="id">{id}</code>
  );
}

interface ScoreProps {
  label: string;
  value: string;
}

/** A score from 0 to 1: the text that was recorded, and a bar for the eye. */
export function Score({ label, value }: ScoreProps) {
  return (
    <span class="score">
      <meter min={0} max={1} value={Number(value)} aria-label={label} />
      <span class="figure">{value}</span>
    </span>
  );
}
