import { admitsAddress } from '../authentication/credential.js';
import { addressNotAllowed } from '../authentication/refusals.js';
import { type Check, identifiedOf } from './state.js';

/** Who is refused here has taken no token: a key that leaked is not its owner's limit. */
export const checkIpAllowlist: Check = (ctx) => {
  if (!admitsAddress(identifiedOf(ctx.state), ctx.state.ip)) throw addressNotAllowed();
};
