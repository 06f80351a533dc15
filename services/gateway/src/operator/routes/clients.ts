import { program } from '../../schemas/program.js';
import * as answers from '../answers.js';
import { createClient, listClients, updateClient } from '../clients.js';
import { createProgram, updateProgram } from '../programs.js';
import { base, type OperatorRoute, operatorRoute } from '../route.js';
import * as schemas from '../schemas.js';

export const clientRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: `${base}/clients`,
    action: 'client.create',
    tag: 'Clients',
    summary: 'Create a Client',
    description: 'It is ACTIVE, and has no Program and no credential yet.',
    body: schemas.newClient,
    responses: { 201: answers.client },
    handler: createClient,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/clients`,
    action: 'client.list',
    tag: 'Clients',
    summary: 'List Clients',
    description: 'Newest first.',
    query: schemas.page,
    responses: { 200: answers.clientPage },
    handler: listClients,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/clients/:id`,
    action: 'client.update',
    tag: 'Clients',
    summary: 'Suspend a Client, or end that',
    description:
      'Once a call with SUSPENDED has answered, requests with any credential of the Client are ' +
      'answered with 401; after ACTIVE the credentials work again.',
    params: schemas.ofClient,
    body: schemas.clientChange,
    responses: { 200: answers.client },
    errors: [404],
    handler: updateClient,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/clients/:id/programs`,
    action: 'program.create',
    tag: 'Programs',
    summary: 'Create a Program',
    description:
      'By default ACTIVE, in USD, for any verification mode, without ceilings and fraud triage.',
    params: schemas.ofClient,
    body: schemas.newProgram,
    responses: { 201: program },
    errors: [404],
    handler: createProgram,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/:environment/programs/:id`,
    action: 'program.update',
    tag: 'Programs',
    summary: 'Change a Program',
    description:
      'What is not named stays; at least one field is. Once a rail is removed, no Mandate of the ' +
      'Program covers it. Payments are declined unless the Program is ACTIVE. Ceilings hold for ' +
      'Mandates that are granted from then on.',
    params: schemas.ofProgram,
    body: schemas.programChange,
    responses: { 200: program },
    errors: [404],
    handler: updateProgram,
  }),
];
