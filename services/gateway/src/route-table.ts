import Router, { type Layer } from '@koa/router';
import { methodNotAllowed, unknownPath } from './errors/refusal.js';
import type { Pipeline, RequestContext } from './middleware/state.js';

/** An endpoint, and the pipeline that a request to it runs through. */
export interface Destination {
  method: string;
  path: string;
  pipeline: Pipeline;
}

interface Found {
  pipeline: Pipeline;
  params: Record<string, string>;
}

/**
 * Finds the pipeline of a request. Paths without a parameter, /authorize among them, are one map
 * look-up; only the others are matched pattern by pattern.
 */
export class RouteTable {
  readonly #exact = new Map<string, Found>();
  readonly #router = new Router({ strict: true, sensitive: true });
  readonly #pipelines = new Map<Layer, Pipeline>();

  /** An unknown path is told where those that there are are described. */
  readonly #describedAt: string | undefined;

  constructor(destinations: readonly Destination[]) {
    this.#describedAt = destinations.find(({ path }) => path.endsWith('/docs'))?.path;
    for (const { method, path, pipeline } of [...destinations].sort(bySpecificity)) {
      const layer = this.#router.register(path, [method], () => {}) as Layer;
      this.#pipelines.set(layer, pipeline);
      if (parametersIn(path) > 0) continue;
      // HEAD beside GET; for the other paths the router does the same.
      for (const each of layer.methods) {
        this.#exact.set(`${each} ${path}`, { pipeline, params: {} });
      }
    }
  }

  /** Throws where no route matches: 405 where the path exists with other methods, else 404. */
  find(ctx: RequestContext): Found {
    const { method, url } = ctx.req;
    return this.#exact.get(`${method} ${url}`) ?? this.#match(ctx);
  }

  #match({ path, method }: RequestContext): Found {
    const layers = mostSpecific(this.#router.match(path, method).path);
    const layer = layers.find(({ methods }) => methods.includes(method));
    const pipeline = layer && this.#pipelines.get(layer);
    if (pipeline) return { pipeline, params: layer.params(path, layer.captures(path)) };
    const allowed = new Set(layers.flatMap(({ methods }) => methods));
    throw allowed.size > 0 ? methodNotAllowed([...allowed].sort()) : unknownPath(this.#describedAt);
  }
}

/** `/webhooks/events` before `/webhooks/:webhook_id`: what is written out beats a parameter. */
function bySpecificity(a: Destination, b: Destination): number {
  return parametersIn(a.path) - parametersIn(b.path);
}

/**
 * Of the layers that match a path, in the order above: those that write out most of it. A path that
 * is written out has its own methods; those of the parameter beside it are no methods of it.
 */
function mostSpecific(layers: readonly Layer[]): Layer[] {
  const fewest = layers[0]?.paramNames.length;
  return layers.filter(({ paramNames }) => paramNames.length === fewest);
}

function parametersIn(path: string): number {
  return path.split('/').filter((part) => part.startsWith(':')).length;
}
