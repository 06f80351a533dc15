/**
 * The direction of imports, as data: kernel <- runtime <- services, proto <- services, and nothing
 * sideways. A workspace is seen as `packages/kernel/dist/...` once it is built and by its package
 * name before, so every pattern names both.
 */
const kernel = '^(packages/kernel/|@countersign/kernel)';
const runtime = '^(packages/runtime/|@countersign/runtime)';
const proto = '^(proto/|@countersign/proto)';
const services = '^(services/|@countersign/(gateway|identity|decision|ledger|notifier|settlement))';
const tools = '^(tools/|@countersign/tools)';
const e2e = '^(e2e/|@countersign/e2e)';
const tests = '(\\.test\\.ts$|/test/)';
const anyOf = (...patterns) => patterns.join('|');

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid(
      'no-circles',
      'Two modules that need each other are one module, or hide a third.',
      { pathNot: '/generated/' },
      { circular: true },
    ),
    forbid(
      'nothing-unresolved',
      'An import that resolves to nothing fails at run time; run `npm run build` first.',
      {},
      { couldNotResolve: true },
    ),
    forbid(
      'kernel-knows-nobody',
      'The kernel is words and sums of the domain; it imports nothing of ours.',
      { path: '^packages/kernel/' },
      { path: anyOf(runtime, proto, services, tools, e2e) },
    ),
    forbid(
      'kernel-does-no-io',
      'What the kernel decides must not depend on a file, a socket or a process.',
      { path: '^packages/kernel/', pathNot: tests },
      { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|zlib|buffer)$' },
    ),
    forbid(
      'runtime-knows-the-kernel-only',
      'Plumbing that knows a service is not plumbing.',
      { path: '^packages/runtime/' },
      { path: anyOf(proto, services, tools, e2e) },
    ),
    forbid(
      'proto-knows-nobody',
      'The contract is below everybody who speaks it.',
      { path: '^proto/' },
      { path: anyOf(kernel, runtime, services, tools, e2e) },
    ),
    forbid(
      'services-speak-by-contract',
      'A service is reached through its contract, never through its files.',
      { path: '^services/([^/]+)/' },
      { path: services, pathNot: '^services/$1/' },
    ),
    forbid(
      'services-are-processes',
      'Tools and whole-system tests start services; they do not import them.',
      { path: anyOf('^tools/', '^e2e/') },
      { path: services },
    ),
    forbid(
      'nothing-runs-on-tools',
      'Tools and whole-system tests are at the top; only e2e uses tools.',
      { pathNot: anyOf('^tools/', '^e2e/') },
      { path: anyOf(tools, e2e) },
    ),
    forbid(
      'tools-know-no-tests',
      'e2e uses tools, not the reverse.',
      { path: '^tools/' },
      { path: e2e },
    ),
    forbid(
      'one-door-to-the-bus',
      'The client of the bus is replaceable as long as one file knows it.',
      { pathNot: '^packages/runtime/src/bus(\\.test)?\\.ts$' },
      { path: '(^|/)node_modules/(nats|@nats-io)/' },
    ),
    forbid(
      'chains-are-for-settlement',
      'Only settlement reads a chain.',
      { pathNot: '^services/settlement/' },
      { path: '(^|/)node_modules/viem/' },
    ),
    forbid(
      'no-import-of-tests',
      'A test runs; nobody imports it.',
      {},
      { path: '\\.test\\.(ts|js)$' },
    ),
    forbid(
      'testing-is-for-tests',
      'What prepares databases for tests has no place in a running service.',
      { path: anyOf('^services/', '^packages/'), pathNot: tests },
      { path: 'packages/runtime/(src|dist)/testing' },
    ),
  ],
  options: {
    doNotFollow: { path: '(^|/)(node_modules|dist|generated)/' },
    exclude: { path: '(^|/)\\.tap/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.d.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
