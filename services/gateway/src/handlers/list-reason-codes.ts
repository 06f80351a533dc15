import { reasons } from '@countersign/kernel/reason';
import type { Handler } from '../handler.js';

/** The table that the engine itself decides by, in the order in which an answer lists codes. */
export const listReasonCodes: Handler = async () => ({
  status: 200,
  body: { reason_codes: reasons },
});
