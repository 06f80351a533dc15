import { newId } from '@countersign/kernel/id';
import type { Delivery, NotifierDefinition, Webhook } from '@countersign/proto/notifier';
import type { GrpcClient } from '@countersign/runtime/grpc-client';
import { callOptions } from './notifier.js';

type Call = GrpcClient<NotifierDefinition>['call'];

export interface Tenant {
  clientId: string;
  principalId: string;
}

export interface Hook {
  id: string;
  tenant: Tenant;
  secret: string;
}

export function newTenant(): Tenant {
  return { clientId: newId('client'), principalId: newId('principal') };
}

interface HookOptions {
  url: string;
  eventTypes?: string[];
  tenant?: Tenant;
}

/** A webhook for all events, of a new Principal by default. */
export async function createHook(call: Call, options: HookOptions): Promise<Hook> {
  const { url, eventTypes = ['*'], tenant = newTenant() } = options;
  const request = { id: newId('webhook'), tenant, url, eventTypes };
  const { signingSecret } = await call.CreateWebhook(request, callOptions);
  return { id: request.id, tenant, secret: signingSecret };
}

export function readHook(call: Call, { id, tenant }: Hook): Promise<Webhook> {
  return call.GetWebhook({ id, tenant }, callOptions);
}

export async function deliveriesOf(call: Call, { id, tenant }: Hook): Promise<Delivery[]> {
  const request = { tenant, webhookId: id, page: { limit: 100 } };
  return (await call.ListDeliveries(request, callOptions)).deliveries;
}
