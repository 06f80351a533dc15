import type { Environment } from '@countersign/kernel/environment';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import type { Trace } from '@countersign/runtime/trace';
import type { PrincipalClaim } from './acting-principals.js';
import type { Access } from './authentication/credential.js';
import type { Allowed } from './authentication/scopes.js';

/**
 * Who may call a route, and what is resolved before its handler runs:
 * - `public`: nobody is asked. `token`: credentials are in the body.
 * - `onboarding`: a Client API key, nothing else.
 * - `runtime`: any credential; acts for one Principal, resolved before the handler.
 * - `authorize`: like runtime, but the agent named in the body may decide the Principal.
 */
export type Plane = 'public' | 'token' | 'onboarding' | 'runtime' | 'authorize';

export type RateGroup = 'authorize' | 'write' | 'read' | 'token' | 'none';

/** The verified credential behind a request. */
export interface Caller {
  credentialId: string;
  kind: 'api_key' | 'principal_key' | 'access_token';
  clientId: string;
  environment: Environment;
  /** Set for a sandbox Principal key and its tokens: it always acts for this Principal. */
  principalId: string | null;
  scopes: Allowed;
  access: Access;
}

/** On whose behalf a runtime call is made. */
export interface Tenant {
  clientId: string;
  principalId: string;
}

/** Everything a handler knows of a request; all of it validated. */
export interface RouteRequest<P = Record<string, string>, Q = unknown, B = unknown> {
  requestId: string;
  /** What is asked of others for it becomes part of its trace, where it has one. */
  trace?: Trace;
  environment: Environment;
  /** Absent only on public and token routes, where asking for it throws. */
  caller: Caller;
  /** The acting Principal; asking for it off the runtime plane throws. */
  tenant: Tenant;
  /** On the authorize plane: the caller's Principal that header or credential names, if any. */
  namedPrincipalId: string | null;
  /** On the authorize plane, in its place: one that may not be the caller's. */
  claim: PrincipalClaim | null;
  params: P;
  query: Q;
  /** Numbers that a double would not print back are `JsonNumber`s before validation. */
  body: B;
  /** The JSON as it was sent, before defaults: what req_hash is computed over. */
  sentBody: unknown;
  /** Of the `Idempotency-Key` header, on routes that take one. */
  idempotencyKey: string | null;
  clientIp: string;
  /** On the token plane alone: the `Authorization` header, for credentials sent as Basic. */
  authorization: string | null;
  /** Epoch milliseconds; whoever is asked something for this request must answer before. */
  deadlineAt: number;
  /** Of a call that is made for this request, at that moment: its deadline is what is left. */
  callOptions(): CallOptions;
}

/** What it takes to ask others for a request. */
export type Asking = Pick<RouteRequest, 'callOptions'>;

export interface Reply {
  status: number;
  /** Rendered with JSON.stringify, unless it is already text (an answer's recorded bytes). */
  body?: unknown;
  text?: string;
  contentType?: string;
  headers?: Record<string, string>;
}
