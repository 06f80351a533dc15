import type { NumberText } from './shapes.js';

export interface Webhook {
  id: string;
  url: string;
  event_types: string[];
  active: boolean;
  description: string | null;
  consecutive_failures: NumberText;
  last_delivery_at: string | null;
  last_status_code: NumberText | null;
  created_at: string;
}

export interface Delivery {
  id: string;
  event_id: string;
  event: string;
  status: 'PENDING' | 'DELIVERED' | 'FAILED';
  attempts: Array<{ at: string; status_code: NumberText | null; error: string | null }>;
  created_at: string;
}
