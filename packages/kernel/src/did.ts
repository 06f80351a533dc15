const idChar = '(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})';

/**
 * W3C DID Core 3.1; its group is the method. Any segment of the id but the last may be empty.
 * A path, query or fragment would make it a DID URL, which does not match.
 */
export const didPattern = new RegExp(`^did:([a-z0-9]+):(?:${idChar}*:)*${idChar}+$`);
