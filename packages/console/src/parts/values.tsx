import { amountText } from '../amount.js';
import { momentText } from '../moment.js';
import { hrefOfId } from '../route.js';

/** A time in the reader's zone, followed by UTC; a dash if there is none. */
export function Moment({ at }: { at: string | null }) {
  const text = at === null ? null : momentText(at);
  if (!text) return <span class="quiet">{at ?? '–'}</span>;
  return (
    <time
      class="moment"
      dateTime={at ?? ''}
      title={text.utc === null ? undefined : `${text.local} ${text.zone}`}
    >
      {text.local} {text.utc !== null && <span class="quiet">{text.utc}</span>}
    </time>
  );
}

interface MoneyProps {
  amount: string | null;
  currency: string;
}

/** An amount, decimal text from the response to the screen. */
export function Money({ amount, currency }: MoneyProps) {
  if (amount === null) return <span class="quiet">no limit</span>;
  return (
    <span class="money">
      {amountText(amount, currency)} {currency}
    </span>
  );
}

/** An id, as a link if there is a screen for it. */
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

/** A score from 0 to 1: the recorded text, and a bar. */
export function Score({ label, value }: ScoreProps) {
  return (
    <span class="score">
      <meter min={0} max={1} value={Number(value)} aria-label={label} />
      <span class="figure">{value}</span>
    </span>
  );
}
