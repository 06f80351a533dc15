import helmet from 'koa-helmet';

/**
 * Answers are JSON for programs: nothing in them may be loaded, framed, sniffed or kept. A page
 * (the documentation) sends its own policy in place of this one. The headers are the same for every
 * answer, so the library is asked for them once and not with every request.
 */
export function securityHeaders(): Record<string, string> {
  return { ...Object.fromEntries(headersOf()), 'Cache-Control': 'no-store' };
}

/** What helmet sets on an answer, which is a stand-in here: it needs no request to say so. */
function headersOf(): Array<readonly [string, string]> {
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
  const headers: Array<readonly [string, string]> = [];
  const res = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  };
  void set({ req: {}, res } as never, async () => {});
  if (headers.length === 0) throw new Error('helmet did not say at once which headers it sets');
  return headers;
}
