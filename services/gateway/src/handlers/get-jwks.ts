import { sha256Hex } from '@countersign/kernel/canonical';
import type { Handler } from '../handler.js';
import { jsonReply } from '../reply.js';
import { jwksView, keptFor } from '../views/keys.js';

export const getJwks: Handler = async (context, request) => {
  const keys = await context.publishedKeys.read(request.requestId);
  const text = JSON.stringify(jwksView(keys));
  return jsonReply(200, text, {
    ...keptFor(keys),
    ETag: `"${sha256Hex(text).slice(0, 32)}"`,
  });
};
