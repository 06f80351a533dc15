import type { FieldError } from '@countersign/kernel/fault';
import type { AnyRoute } from '../route.js';

/** A failure in HTTP's terms, before one of the three envelopes is put around it. */
export interface Failure {
  status: number;
  code: string;
  message: string;
  errors: FieldError[];
  headers: Record<string, string>;
}

export interface EnvelopeOptions {
  requestId: string;
  baseUrl: string;
  /** Absent where no route was found. */
  route: Pick<AnyRoute, 'plane' | 'flatErrors'> | undefined;
}

export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}
