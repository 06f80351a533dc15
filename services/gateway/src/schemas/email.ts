import { z } from 'zod';
import { inAscii } from './text.js';

/** Every local part of RFC 5321 that needs no quotes. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** Begins with a letter, unlike the last number of an IP address; digits follow in punycode. */
const topLevel = '[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]';

export const email = z
  .email({
    pattern: new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`),
    error: inAscii('must be an e-mail address', 'must be an e-mail address in ASCII'),
  })
  .max(254)
  .meta({ examples: ['ada@example.com'] });
