import type { Handler } from '../handler.js';

/** The process runs and answers; nothing else is asked. */
export const getLiveness: Handler = async () => ({ status: 200, body: { status: 'ok' } });
