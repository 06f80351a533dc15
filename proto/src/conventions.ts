export type * from './generated/countersign/v1/Empty.js';
export type * from './generated/countersign/v1/PageRequest.js';
export type * from './generated/countersign/v1/Position.js';
export type * from './generated/countersign/v1/Tenant.js';
