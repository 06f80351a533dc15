import { isInside } from '../client-ip.js';
import { addressNotAllowed } from '../errors/refusal.js';
import { type Check, identifiedOf } from './state.js';

/** A credential that names networks works from nowhere else. */
export const checkIpAllowlist: Check = (ctx) => {
  const { ipAllowlist } = identifiedOf(ctx.state);
  if (ipAllowlist && !isInside(ctx.state.ip, ipAllowlist)) throw addressNotAllowed();
};
