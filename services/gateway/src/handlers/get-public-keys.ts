import type { Handler } from '../handler.js';
import { keptFor, publicKeysView } from '../views/keys.js';

export const getPublicKeys: Handler = async (context, request) => {
  const keys = await context.publishedKeys.read(request.requestId);
  return {
    status: 200,
    body: publicKeysView(keys, context.config.baseUrl),
    headers: keptFor(keys),
  };
};
