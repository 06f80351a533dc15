import type { Delivery, Webhook } from '../api/webhook-shapes.js';
import { Actions, useMay } from '../parts/actions.js';
import { useQuestion } from '../parts/ask.js';
import { Badge } from '../parts/badge.js';
import { Facts } from '../parts/facts.js';
import { Foreign } from '../parts/foreign.js';
import { Listing, Read } from '../parts/read.js';
import { Screen, Section, useDesk } from '../parts/screen.js';
import type { Column } from '../parts/table.js';
import { Moment } from '../parts/values.js';
import { hrefOf } from '../route.js';

const columns: ReadonlyArray<Column<Webhook>> = [
  {
    head: 'Address',
    cell: ({ id, url }) => (
      <a href={hrefOf('webhook', id)}>
        <Foreign text={url} />
      </a>
    ),
  },
  { head: 'State', cell: StateBadge },
  { head: 'Consecutive failures', cell: ({ consecutive_failures: count }) => count, figures: true },
  { head: 'Last response', cell: ({ last_status_code: code }) => code ?? '–', figures: true },
  { head: 'Last delivery', cell: ({ last_delivery_at: at }) => <Moment at={at} /> },
  { head: 'Events', cell: ({ event_types: types }) => types.join(', ') },
];

function StateBadge({ active }: Webhook) {
  return <Badge word={active ? 'ACTIVE' : 'OFF'} />;
}

export function WebhooksScreen({ query }: { query: Record<string, string> }) {
  return (
    <Screen title="Webhooks">
      <Listing<Webhook>
        path="/webhooks"
        cursor={query.cursor}
        addressOf={(cursor) => hrefOf('webhooks', '', { cursor })}
        caption="Webhooks, newest first"
        keyOf={({ id }) => id}
        columns={() => columns}
        empty="No webhooks are registered."
      />
    </Screen>
  );
}

export function WebhookScreen({ id, query }: { id: string; query: Record<string, string> }) {
  return (
    <Read<Webhook> path={`/webhooks/${id}`} screen="Webhook">
      {(found, reload) => (
        <Screen title="Webhook" aside={<StateBadge {...found} />}>
          {!found.active && <SwitchOn webhook={found} onChanged={reload} />}
          <Facts
            rows={[
              ['address', <Foreign text={found.url} />],
              ['id', <code class="id">{found.id}</code>],
              ['events', found.event_types.join(', ')],
              ['description', <Foreign text={found.description} />],
              ['consecutive failures', found.consecutive_failures],
              ['last response', found.last_status_code ?? '–'],
              ['last delivery', <Moment at={found.last_delivery_at} />],
              ['since', <Moment at={found.created_at} />],
            ]}
          />
          <Section title="Deliveries">
            <Listing<Delivery>
              path={`/webhooks/${id}/deliveries`}
              cursor={query.cursor}
              addressOf={(cursor) => hrefOf('webhook', id, { cursor })}
              caption="Deliveries, newest first"
              keyOf={({ id: each }) => each}
              columns={(reloadDeliveries) => [
                ...deliveryColumns,
                {
                  head: 'Again',
                  cell: (delivery) => (
                    <DeliverAgain webhook={found} delivery={delivery} onSent={reloadDeliveries} />
                  ),
                },
              ]}
              empty="No deliveries yet."
            />
          </Section>
        </Screen>
      )}
    </Read>
  );
}

function SwitchOn({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }) {
  const { api } = useDesk();
  const [open, ask] = useQuestion(onChanged);
  const switchOn = () =>
    ask({
      title: 'Enable this webhook?',
      consequence: <p>Its failure count is reset, and events are sent to it from now on.</p>,
      action: 'Enable webhook',
      perform: () => api.send('PATCH', `/webhooks/${webhook.id}`, '{"active":true}'),
    });
  return (
    <>
      <Actions scope="webhooks">
        <button type="button" onClick={switchOn}>
          Enable
        </button>
      </Actions>
      {open}
    </>
  );
}

const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  { head: 'When', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Event', cell: ({ event }) => event },
  { head: 'Status', cell: ({ status }) => <Badge word={status} /> },
  { head: 'Attempts', cell: ({ attempts }) => attempts.length, figures: true },
  { head: 'Last attempt', cell: ({ attempts }) => lastAttempt(attempts) },
  { head: 'Event id', cell: ({ event_id: id }) => <code class="id">{id}</code> },
];

interface DeliverAgainProps {
  webhook: Webhook;
  delivery: Delivery;
  onSent: () => void;
}

/** Only for what was given up: anything else is delivered, or still attempted. */
function DeliverAgain({ webhook, delivery, onSent }: DeliverAgainProps) {
  const { api } = useDesk();
  const [open, ask] = useQuestion(onSent);
  const may = useMay('webhooks');
  if (!may || delivery.status !== 'FAILED' || !webhook.active) return <span class="quiet">–</span>;
  const deliver = () =>
    ask({
      title: 'Deliver this event again?',
      consequence: (
        <p>
          <code>{delivery.event}</code> is sent to <Foreign text={webhook.url} />, with the same id
          as before. A receiver that has had it already should ignore it.
        </p>
      ),
      action: 'Deliver event',
      perform: () => api.send('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/retry`),
    });
  return (
    <>
      <button
        type="button"
        aria-label={`Deliver again ${delivery.event}, ${delivery.event_id}`}
        onClick={deliver}
      >
        Deliver again
      </button>
      {open}
    </>
  );
}

function lastAttempt(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? `answered ${last.status_code}`) : '–';
}
