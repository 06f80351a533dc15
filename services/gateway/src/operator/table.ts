import { contact } from '../schemas/principal.js';
import { listAuditEvents } from './audit.js';
import { findAuthorization } from './authorizations.js';
import { createClient, listClients, updateClient } from './clients.js';
import {
  createCredential,
  listCredentials,
  revoke,
  rotate,
  updateCredential,
} from './credentials.js';
import { getIntentEvidence } from './intent-evidence.js';
import { deleteIntentSubject, listIntentSubjects, putIntentSubject } from './intent-subjects.js';
import { erasePersonalData, getPersonalData, putProfile } from './personal-data.js';
import { takeVerificationResult, updatePrincipal } from './principals.js';
import { createProgram, updateProgram } from './programs.js';
import { type OperatorRoute, operatorRoute } from './route.js';
import * as schemas from './schemas.js';
import { rotateSigningKeys } from './signing-keys.js';

const base = '/internal/v1';

/** The whole operator interface. */
export const operatorRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: `${base}/clients`,
    action: 'client.create',
    body: schemas.newClient,
    handler: createClient,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/clients`,
    action: 'client.list',
    query: schemas.page,
    handler: listClients,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/clients/:id`,
    action: 'client.update',
    params: schemas.ofClient,
    body: schemas.clientChange,
    handler: updateClient,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/clients/:id/programs`,
    action: 'program.create',
    params: schemas.ofClient,
    body: schemas.newProgram,
    handler: createProgram,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/:environment/programs/:id`,
    action: 'program.update',
    params: schemas.ofProgram,
    body: schemas.programChange,
    handler: updateProgram,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/clients/:id/credentials`,
    action: 'credential.issue',
    params: schemas.ofClient,
    body: schemas.newCredential,
    handler: createCredential,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/clients/:id/credentials`,
    action: 'credential.list',
    params: schemas.ofClient,
    query: schemas.page,
    handler: listCredentials,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/credentials/:id/rotate`,
    action: 'credential.rotate',
    params: schemas.ofCredential,
    body: schemas.rotation,
    handler: rotate,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/credentials/:id/revoke`,
    action: 'credential.revoke',
    params: schemas.ofCredential,
    handler: revoke,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/credentials/:id`,
    action: 'credential.update',
    params: schemas.ofCredential,
    body: schemas.credentialChange,
    handler: updateCredential,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/:environment/principals/:id`,
    action: 'principal.update',
    personal: 'when_refused',
    params: schemas.ofPrincipal,
    body: schemas.principalChange,
    handler: updatePrincipal,
  }),
  operatorRoute({
    method: 'PUT',
    path: `${base}/:environment/principals/:id/profile`,
    action: 'profile.put',
    personal: 'always',
    params: schemas.ofPrincipal,
    body: contact,
    handler: putProfile,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/principals/:id/personal-data`,
    action: 'personal_data.read',
    params: schemas.ofPrincipal,
    handler: getPersonalData,
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${base}/:environment/principals/:id/personal-data`,
    action: 'personal_data.erase',
    personal: 'always',
    params: schemas.ofPrincipal,
    handler: erasePersonalData,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/authorizations/:id`,
    action: 'authorization.find',
    params: schemas.ofAuthorization,
    handler: findAuthorization,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/authorizations/:id/vi-chain`,
    action: 'vi_chain.read',
    params: schemas.ofAuthorization,
    handler: getIntentEvidence,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/principals/:id/vi-subjects`,
    action: 'vi_subject.list',
    params: schemas.ofPrincipal,
    handler: listIntentSubjects,
  }),
  operatorRoute({
    method: 'PUT',
    path: `${base}/:environment/principals/:id/vi-subjects`,
    action: 'vi_subject.put',
    params: schemas.ofPrincipal,
    body: schemas.intentSubject,
    handler: putIntentSubject,
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${base}/:environment/principals/:id/vi-subjects`,
    action: 'vi_subject.delete',
    params: schemas.ofPrincipal,
    query: schemas.intentSubject,
    handler: deleteIntentSubject,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/:environment/verification-callbacks`,
    action: 'verification.result',
    personal: 'when_refused',
    guard: 'provider_signature',
    params: schemas.inEnvironment,
    body: schemas.verificationResult,
    handler: takeVerificationResult,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/signing-keys/rotate`,
    action: 'signing_key.rotate',
    body: schemas.inEnvironment,
    handler: rotateSigningKeys,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/audit-events`,
    action: 'audit.list',
    query: schemas.page,
    handler: listAuditEvents,
  }),
];
