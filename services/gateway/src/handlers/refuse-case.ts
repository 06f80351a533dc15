import { notFound } from '@countersign/kernel/fault';
import type { Handler } from '../handler.js';

/** Cases come with fraud triage, which no account has: to a caller they do not exist. */
export const refuseCase: Handler = async () => {
  throw notFound('NOT_FOUND', 'No such case.');
};
