export type * from './generated/countersign/v1/index.js';
