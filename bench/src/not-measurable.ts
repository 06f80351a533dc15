/** Something that this machine does not allow to be measured; the message says why. */
export class NotMeasurable extends Error {}
