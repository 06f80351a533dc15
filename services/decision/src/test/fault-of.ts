import { Fault } from '@countersign/kernel/fault';

/** The fault that the call must end with. */
export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('no fault was thrown');
}
