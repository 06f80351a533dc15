import type { Context } from '../context.js';
import { FieldErrors } from '../field-errors.js';
import { lockPrincipal } from '../lock.js';
import { readProfile } from '../principal/request.js';
import { findPrincipal, personalDataView } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** No decision depends on a profile, so a change needs no version, no fence and no event. */
export function putProfile(context: Context): Handler<'PutProfile'> {
  return (request, { environment }) => {
    const { principalId } = request;
    const errors = new FieldErrors('');
    const profile = readProfile(request, errors.report);
    errors.throwIfAny();
    return context.stores[environment].prisma.$transaction(async (tx) => {
      await lockPrincipal(tx, principalId);
      const current = await findPrincipal(tx, { id: principalId });
      if (!current) throw refusal.principalNotFound();
      const changed = await tx.profile.upsert({
        where: { principalId },
        update: profile,
        create: { principalId, ...profile },
      });
      return personalDataView({ ...current, profile: changed });
    });
  };
}
