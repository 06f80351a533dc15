import { Fault } from '@countersign/kernel/fault';
import { isInside } from '../client-ip.js';
import { type Check, identifiedOf } from './state.js';

/** A credential that names networks works from nowhere else. */
export const checkIpAllowlist: Check = (ctx, next) => {
  const { ipAllowlist } = identifiedOf(ctx.state);
  if (ipAllowlist && !isInside(ctx.state.ip, ipAllowlist)) {
    throw new Fault('forbidden', {
      code: 'ERROR',
      message: 'This credential may not be used from this address.',
    });
  }
  return next();
};
