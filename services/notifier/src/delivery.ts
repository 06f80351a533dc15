import type { Delivery } from '@countersign/proto/notifier';
import type { Delivery as DeliveryRow } from './generated/prisma/client.js';

/** An attempt as stored in the row. */
interface StoredAttempt {
  at: string;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
}

export function toDelivery(row: DeliveryRow): Delivery {
  const attempts = row.attempts as unknown as StoredAttempt[];
  return {
    id: row.id,
    eventId: row.eventId,
    event: row.event,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    attempts: attempts.map(({ at, status_code, error, duration_ms }) => ({
      at,
      durationMs: duration_ms,
      statusCode: status_code ?? undefined,
      error: error ?? undefined,
    })),
  };
}
