import type { webhooks } from './generated/openapi.js';

type Sent<E extends keyof webhooks> = NonNullable<
  webhooks[E]['post']['requestBody']
>['content']['application/json'];

/**
 * A webhook event, discriminated by `event`. A webhook for `*` also receives types of later
 * releases: add a `default` to a `switch`. Samples have `test: true` in their data.
 */
export type WebhookEvent = { [E in keyof webhooks]: Sent<E> }[keyof webhooks];
