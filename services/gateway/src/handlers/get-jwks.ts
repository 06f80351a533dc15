import { sha256Hex } from '@countersign/kernel/canonical';
import type { Handler } from '../handler.js';
import { jsonReply } from '../reply.js';
import { jwksView } from '../views/keys.js';

export const getJwks: Handler = async (context, request) => {
  const text = JSON.stringify(jwksView(await context.publishedKeys.read(request.requestId)));
  return jsonReply(200, text, {
    'Cache-Control': 'public, max-age=300',
    ETag: `"${sha256Hex(text).slice(0, 32)}"`,
  });
};
