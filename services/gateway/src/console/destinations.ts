import { sendReply } from '../middleware/call-handler.js';
import type { RequestContext } from '../middleware/state.js';
import type { Reply } from '../request.js';
import type { Destination } from '../route-table.js';
import type { SiteFile } from './site.js';

const home = '/console/';

/**
 * Own files and nothing else: no inline script or style, no other host, no frame, and no place in
 * the page where a text could become markup.
 */
const contentSecurityPolicy = [
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`,
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  `require-trusted-types-for 'script'; trusted-types 'none'`,
].join('; ');

/** The name of a file has the hash of what is in it; only the page that names them changes. */
const neverChanges = 'public, max-age=31536000, immutable';

/**
 * The files as destinations of the public listener, beside the API and no part of it: nobody is
 * asked for a credential, since there is nothing in them. Each is found in one look.
 */
export function consoleDestinations(files: readonly SiteFile[]): Destination[] {
  const pages = files.map((file) => {
    const isPage = file.name === 'index.html';
    return to(isPage ? home : `${home}${file.name}`, fileReply(file, isPage));
  });
  const redirect = { status: 308, text: '', headers: { Location: home } };
  return pages.length === 0 ? [] : [...pages, to('/console', redirect)];
}

function fileReply({ text, contentType, etag }: SiteFile, isPage: boolean): Reply {
  const caching = isPage ? 'no-cache' : neverChanges;
  return {
    status: 200,
    text,
    contentType,
    headers: {
      ETag: etag,
      'Cache-Control': caching,
      ...(isPage && {
        'Content-Security-Policy': contentSecurityPolicy,
        'X-Frame-Options': 'DENY',
      }),
    },
  };
}

/** One name in log and metrics for all of them, whatever a release calls them. */
const matched = { method: 'GET', path: '/console/*' };

function to(path: string, reply: Reply): Destination {
  const pipeline = async (ctx: RequestContext): Promise<void> => {
    ctx.state.matched = matched;
    sendReply(ctx, reply);
  };
  return { method: 'GET', path, pipeline };
}
