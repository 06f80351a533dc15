import { admitsAddress } from '../authentication/credential.js';
import { addressNotAllowed } from '../authentication/refusals.js';
import { type Check, identifiedOf } from './state.js';

/** Takes no rate-limit token from a refused address, so a leaked key cannot use up the limit. */
export const checkIpAllowlist: Check = (ctx) => {
  if (!admitsAddress(identifiedOf(ctx.state), ctx.state.ip)) throw addressNotAllowed();
};
