import type { ComponentChildren } from 'preact';
import { isMoment } from '../moment.js';
import { Foreign } from './foreign.js';
import { Id, Moment } from './values.js';

interface FactsProps {
  rows: ReadonlyArray<readonly [name: string, value: ComponentChildren]>;
}

/** Names and values, side by side. */
export function Facts({ rows }: FactsProps) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A recorded value at any depth: explaining a decision requires all of it. */
export function Kept({ value }: { value: unknown }): ComponentChildren {
  if (value === null || value === undefined) return <span class="quiet">none</span>;
  if (typeof value !== 'object') return <Scalar text={String(value)} />;
  if (Array.isArray(value)) return <KeptList items={value} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="quiet">nothing</span>;
  return (
    <Facts
      rows={entries.map(([name, member]) => [
        spaced(name),
        openBound(name, member) ?? <Kept key={name} value={member} />,
      ])}
    />
  );
}

/** Text for a limit that is not set: "allowed countries: none" would read as the opposite. */
function openBound(name: string, value: unknown): string | null {
  const isEmpty = Array.isArray(value) && value.length === 0;
  if (isEmpty && name.startsWith('allowed_')) return 'not restricted';
  return value === null && name.startsWith('max_') ? 'no limit' : null;
}

function KeptList({ items }: { items: readonly unknown[] }) {
  if (items.length === 0) return <span class="quiet">none listed</span>;
  if (items.every((item) => typeof item !== 'object'))
    return <Foreign text={items.map(String).join(', ')} />;
  return (
    <ol class="kept">
      {items.map((item, index) => (
        <li key={index}>
          <Kept value={item} />
        </li>
      ))}
    </ol>
  );
}

function Scalar({ text }: { text: string }) {
  if (isMoment(text)) return <Moment at={text} />;
  if (/^[a-z]{2,4}_[0-9a-z]{26}$/.test(text)) return <Id id={text} />;
  return <Foreign text={text} />;
}

/** `merchant_name` → `merchant name`. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}
