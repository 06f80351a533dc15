import { Fault } from '@countersign/kernel/fault';

/** An update without a single field is malformed rather than invalid: 400. */
export function somethingToUpdate(body: object): void {
  if (Object.values(body).some((value) => value !== undefined)) return;
  throw new Fault('malformed', { code: 'BAD_REQUEST', message: 'There is no field to update.' });
}
