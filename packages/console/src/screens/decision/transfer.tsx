import { useEffect } from 'preact/hooks';
import type { Explanation } from '../../api/shapes.js';
import { Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Read } from '../../parts/read.js';
import { recordedFacts } from '../../recorded-facts.js';

/** What an on-chain transfer sends, and to which address; nothing for a card payment. */
export function Transfer({ explanation }: { explanation: Explanation }) {
  const { crypto } = recordedFacts(explanation);
  const text = (name: string) => {
    const value = crypto[name];
    return <Foreign text={value === undefined || value === null ? null : String(value)} />;
  };
  if (Object.keys(crypto).length === 0) return null;
  return (
    <Facts
      rows={[
        ['to address', text('counterparty')],
        ['value', text('value')],
        ['asset', text('asset')],
        ['chain', text('chain')],
        ['from address', text('from_address')],
        ['operation', text('operation')],
      ]}
    />
  );
}

interface ShownProps {
  onShown: () => void;
}

/** The same for a challenge: its list entry has no address, and whoever confirms must see it. */
export function TransferOf({ id, onShown }: ShownProps & { id: string }) {
  return (
    <Read<Explanation> path={`/authorize/log/${id}/explain`}>
      {(found) => <ShownTransfer explanation={found} onShown={onShown} />}
    </Read>
  );
}

function ShownTransfer({ explanation, onShown }: ShownProps & { explanation: Explanation }) {
  useEffect(onShown, []);
  return <Transfer explanation={explanation} />;
}
