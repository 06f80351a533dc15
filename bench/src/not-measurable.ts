/** Thrown if this machine does not permit a measurement; the message says why. */
export class NotMeasurable extends Error {}
