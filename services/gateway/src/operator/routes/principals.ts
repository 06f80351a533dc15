import { contact } from '../../schemas/principal.js';
import * as answers from '../answers.js';
import { deleteIntentSubject, listIntentSubjects, putIntentSubject } from '../intent-subjects.js';
import { erasePersonalData, getPersonalData, putProfile } from '../personal-data.js';
import { findPrincipal, takeVerificationResult, updatePrincipal } from '../principals.js';
import { base, type OperatorRoute, operatorRoute } from '../route.js';
import * as schemas from '../schemas.js';

export const principalRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/principals/:id`,
    action: 'principal.find',
    tag: 'Principals',
    summary: 'Find whose Principal it is',
    description: 'As a change of it answers: its Client, verification status and risk tier.',
    personal: 'when_refused',
    params: schemas.ofPrincipal,
    responses: { 200: answers.principal },
    errors: [404],
    handler: findPrincipal,
  }),
  operatorRoute({
    method: 'PATCH',
    path: `${base}/:environment/principals/:id`,
    action: 'principal.update',
    tag: 'Principals',
    summary: 'Set the verification status or the risk tier of a Principal',
    description:
      'At least one of them. Payments are declined while the Principal is not VERIFIED, and ' +
      'where it is PROHIBITED; MEDIUM adds 0.10 to the risk score, HIGH 0.25. 409 for a status ' +
      'of one whose personal data was erased, until it has a profile again.',
    personal: 'when_refused',
    params: schemas.ofPrincipal,
    body: schemas.principalChange,
    responses: { 200: answers.principal },
    errors: [404, 409],
    handler: updatePrincipal,
  }),
  operatorRoute({
    method: 'PUT',
    path: `${base}/:environment/principals/:id/profile`,
    action: 'profile.put',
    tag: 'Personal data',
    summary: 'Replace how a Principal is reached',
    description:
      'Profile and `step_up` as a whole: without `step_up` no codes are sent. The audit does not ' +
      'record the body.',
    personal: 'always',
    params: schemas.ofPrincipal,
    body: contact,
    responses: { 200: answers.personalData },
    errors: [404],
    handler: putProfile,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/principals/:id/personal-data`,
    action: 'personal_data.read',
    tag: 'Personal data',
    summary: 'Show what is held about a Principal',
    description: 'Beside its agents and payments; null where there is nothing.',
    personal: 'when_refused',
    params: schemas.ofPrincipal,
    responses: { 200: answers.personalData },
    errors: [404],
    handler: getPersonalData,
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${base}/:environment/principals/:id/personal-data`,
    action: 'personal_data.erase',
    tag: 'Personal data',
    summary: 'Erase the personal data of a Principal',
    description: 'Nothing is approved for it any more, and it gets no new Agents.',
    personal: 'always',
    params: schemas.ofPrincipal,
    responses: { 204: null },
    errors: [404],
    handler: erasePersonalData,
  }),
  operatorRoute({
    method: 'GET',
    path: `${base}/:environment/principals/:id/vi-subjects`,
    action: 'vi_subject.list',
    tag: 'Verifiable intent',
    summary: 'List the users that may act for a Principal',
    description: 'With a `vi_chain` of their issuer; empty for an unknown Principal, too.',
    params: schemas.ofPrincipal,
    responses: { 200: answers.intentSubjectList },
    handler: listIntentSubjects,
  }),
  operatorRoute({
    method: 'PUT',
    path: `${base}/:environment/principals/:id/vi-subjects`,
    action: 'vi_subject.put',
    tag: 'Verifiable intent',
    summary: 'Let a user act for a Principal',
    description: 'Names are compared byte for byte. 409 where the Principal has 200 users.',
    params: schemas.ofPrincipal,
    body: schemas.intentSubject,
    responses: { 200: answers.intentSubject },
    errors: [404, 409],
    handler: putIntentSubject,
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${base}/:environment/principals/:id/vi-subjects`,
    action: 'vi_subject.delete',
    tag: 'Verifiable intent',
    summary: 'Let a user act for a Principal no more',
    description:
      '204 even if there was no such user. Where the issuer is configured as `tofu` and none is ' +
      'left, the next user that is verified is bound.',
    params: schemas.ofPrincipal,
    query: schemas.intentSubject,
    responses: { 204: null },
    handler: deleteIntentSubject,
  }),
  operatorRoute({
    method: 'POST',
    path: `${base}/:environment/verification-callbacks`,
    action: 'verification.result',
    tag: 'Principals',
    summary: 'Report the result of a verification',
    description:
      'Sent by the provider, which signs the body, in place of `X-Admin-Key`. 409 where the ' +
      'verification is no longer pending and had another result.',
    personal: 'when_refused',
    guard: 'provider_signature',
    params: schemas.inEnvironment,
    body: schemas.verificationResult,
    responses: { 200: answers.verification },
    errors: [404, 409],
    handler: takeVerificationResult,
  }),
];
