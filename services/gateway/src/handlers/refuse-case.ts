import { notFound } from '@countersign/kernel/fault';
import type { Reply } from '../request.js';

/** Cases come with fraud triage, which no account has: to a caller they do not exist. */
export async function refuseCase(): Promise<Reply> {
  throw notFound('NOT_FOUND', 'No such case.');
}
