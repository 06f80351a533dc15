import { isoTime } from '@countersign/kernel/clock';
import { newId } from '@countersign/kernel/id';
import type { z } from 'zod';
import { setClientStatus } from '../authentication/client-status.js';
import { unknownClient } from '../authentication/credential-record.js';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import { listPage } from './page.js';
import type { Answer, OperatorRequest } from './route.js';
import type { clientChange, newClient, ofClient, page } from './schemas.js';

interface ClientRow {
  id: string;
  name: string;
  status: string;
  created_at: Date;
}

export async function createClient(
  context: Context,
  { body }: OperatorRequest<unknown, unknown, z.output<typeof newClient>>,
): Promise<Answer<typeof answers.client>> {
  const now = new Date(context.clock());
  const client = await context.prisma.client.create({
    data: { id: newId('client'), name: body.name, createdAt: now, updatedAt: now },
  });
  return { status: 201, body: clientView({ ...client, created_at: client.createdAt }) };
}

export function listClients(
  context: Context,
  { query }: OperatorRequest<unknown, z.output<typeof page>>,
): Promise<Answer<typeof answers.clientPage>> {
  return listPage(context, query, {
    list: 'clients',
    of: [],
    select: 'SELECT id, name, status, created_at FROM client WHERE true',
    view: clientView,
  });
}

/** SUSPENDED stops every credential of the Client from the moment this has answered. */
export async function updateClient(
  context: Context,
  {
    params,
    body,
  }: OperatorRequest<z.output<typeof ofClient>, unknown, z.output<typeof clientChange>>,
): Promise<Answer<typeof answers.client>> {
  await setClientStatus(context, params.id, body.status);
  return { status: 200, body: clientView(await existingClient(context, params.id)) };
}

/** 404 where there is none. */
export async function existingClient({ prisma }: Context, id: string): Promise<ClientRow> {
  const client = await prisma.client.findUnique({ where: { id } });
  if (!client) throw unknownClient();
  return { ...client, created_at: client.createdAt };
}

function clientView({ id, name, status, created_at }: ClientRow) {
  return { id, name, status, created_at: isoTime(created_at.getTime()) };
}
