import Router, { type Layer } from '@koa/router';
import { methodNotAllowed, unknownPath } from './errors/refusal.js';
import type { RequestContext, Way } from './middleware/state.js';

/** What is looked up: where an endpoint is, and what a request to it goes through. */
export interface Destination {
  method: string;
  path: string;
  way: Way;
}

interface Found {
  way: Way;
  params: Record<string, string>;
}

/**
 * Finds the way of a request. Paths without a parameter, the hot one among them, are found in one
 * look; only the others are matched pattern by pattern.
 */
export class RouteTable {
  readonly #exact = new Map<string, Found>();
  readonly #router = new Router({ strict: true, sensitive: true });
  readonly #ways = new Map<Layer, Way>();

  constructor(destinations: readonly Destination[]) {
    for (const { method, path, way } of [...destinations].sort(bySpecificity)) {
      const layer = this.#router.register(path, [method], () => {}) as Layer;
      this.#ways.set(layer, way);
      if (parametersIn(path) === 0) this.#exact.set(`${method} ${path}`, { way, params: {} });
    }
  }

  /** Throws the refusal of what no route takes: 405 where the path has other methods, else 404. */
  find(ctx: RequestContext): Found {
    const { method, url } = ctx.req;
    return this.#exact.get(`${method} ${url}`) ?? this.#match(ctx);
  }

  #match({ path, method }: RequestContext): Found {
    const { path: layers } = this.#router.match(path, method);
    // The router takes HEAD for every GET; this API does not.
    const layer = layers.find(({ methods }) => methods.includes(method) && method !== 'HEAD');
    const way = layer && this.#ways.get(layer);
    if (way) return { way, params: layer.params(path, layer.captures(path)) };
    const allowed = new Set(layers.flatMap(({ methods }) => methods));
    allowed.delete('HEAD');
    throw allowed.size > 0 ? methodNotAllowed([...allowed].sort()) : unknownPath();
  }
}

/** `/webhooks/events` before `/webhooks/:webhook_id`: what is written out beats a parameter. */
function bySpecificity(a: Destination, b: Destination): number {
  return parametersIn(a.path) - parametersIn(b.path);
}

function parametersIn(path: string): number {
  return path.split('/').filter((part) => part.startsWith(':')).length;
}
