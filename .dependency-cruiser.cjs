/**
 * The direction of imports, as data: kernel <- runtime <- services, proto <- services, and nothing
 * sideways. A workspace is seen as `packages/kernel/dist/...` once it is built and by its package
 * name before, so every pattern names both.
 */
const kernel = '^(packages/kernel/|@countersign/kernel)';
const runtime = '^(packages/runtime/|@countersign/runtime)';
const proto = '^(proto/|@countersign/proto)';
const console = '^(packages/console/|@countersign/console)';
const sdk = '^(packages/sdk/|@countersign/sdk)';
const mcp = '^(packages/mcp/|@countersign/mcp)';
const services = '^(services/|@countersign/(gateway|identity|decision|ledger|notifier|settlement))';
const tools = '^(tools/|@countersign/tools)';
const e2e = '^(e2e/|@countersign/e2e)';
const bench = '^(bench/|@countersign/bench)';
const tests = '(\\.test\\.ts$|/test/)';
const anyOf = (...patterns) => patterns.join('|');

const forbidden = {
  'no-circles': {
    comment: 'Two modules that need each other are one module, or hide a third.',
    from: { pathNot: '/generated/' },
    to: { circular: true },
  },
  'nothing-unresolved': {
    comment: 'An import that resolves to nothing fails at run time; build first.',
    from: {},
    to: { couldNotResolve: true },
  },
  'kernel-knows-nobody': {
    comment: 'The kernel is words and sums of the domain; it imports nothing of ours.',
    from: { path: '^packages/kernel/' },
    to: { path: anyOf(runtime, proto, console, services, tools, e2e) },
  },
  'kernel-does-no-io': {
    comment: 'What the kernel decides must not depend on a file, a socket or a process.',
    from: { path: '^packages/kernel/', pathNot: tests },
    to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|zlib|buffer)$' },
  },
  'runtime-knows-the-kernel-only': {
    comment: 'Plumbing that knows a service is not plumbing.',
    from: { path: '^packages/runtime/' },
    to: { path: anyOf(proto, services, tools, e2e) },
  },
  'console-is-a-client': {
    comment: 'The console runs in a browser: it has the public API, and words of the kernel.',
    from: { path: '^packages/console/', pathNot: tests },
    to: { path: anyOf(runtime, proto, services, tools, e2e, bench) },
  },
  'console-is-served-as-files': {
    comment: 'A browser runs it; no process of ours does.',
    from: { pathNot: '^packages/console/' },
    to: { path: console },
  },
  'clients-know-the-public-api-only': {
    comment: 'What others install speaks to the service as they do, and carries nothing of it.',
    from: { path: anyOf(sdk, mcp) },
    to: { path: anyOf(kernel, runtime, proto, services, tools, e2e, bench) },
  },
  'the-sdk-knows-nobody': {
    comment: 'The MCP server is made of the SDK, not the reverse.',
    from: { path: sdk },
    to: { path: mcp },
  },
  'no-service-uses-a-client': {
    comment: 'Services speak gRPC to each other; only tests of the whole are clients.',
    from: { pathNot: anyOf('^packages/(sdk|mcp)/', '^e2e/') },
    to: { path: anyOf(sdk, mcp) },
  },
  'proto-knows-nobody': {
    comment: 'The contract is below everybody who speaks it.',
    from: { path: '^proto/' },
    to: { path: anyOf(kernel, runtime, services, tools, e2e) },
  },
  'services-speak-by-contract': {
    comment: 'A service is reached through its contract, never through its files.',
    from: { path: '^services/([^/]+)/' },
    to: { path: services, pathNot: '^services/$1/' },
  },
  'services-are-processes': {
    comment: 'Tools, whole-system tests and measurements start services; none imports them.',
    from: { path: anyOf('^tools/', '^e2e/', '^bench/') },
    to: { path: services },
  },
  'nothing-runs-on-tools': {
    comment: 'Tools, tests and measurements of the whole are at the top; only these use tools.',
    from: { pathNot: anyOf('^tools/', '^e2e/', '^bench/') },
    to: { path: anyOf(tools, e2e, bench) },
  },
  'tools-know-no-tests': {
    comment: 'Whole-system tests and measurements use tools, not the reverse.',
    from: { path: '^tools/' },
    to: { path: anyOf(e2e, bench) },
  },
  'tests-and-measurements-apart': {
    comment: 'What proves and what measures can each be removed without the other.',
    from: { path: '^(e2e|bench)/' },
    to: { path: anyOf(e2e, bench), pathNot: '^$1/' },
  },
  'one-door-to-the-bus': {
    comment: 'Only the bus files know the client, so it is replaceable; a checker has its own.',
    from: {
      pathNot:
        '^(packages/runtime/src/bus(/stream|/stream\\.test|/access|/access\\.test|/connection|' +
        '/consumption|\\.test)?|' +
        'e2e/src/bus-reader)\\.ts$',
    },
    to: { path: '(^|/)node_modules/(nats|@nats-io)/' },
  },
  'chains-are-for-settlement': {
    comment: 'Only settlement reads a chain.',
    from: { pathNot: '^services/settlement/' },
    to: { path: '(^|/)node_modules/viem/' },
  },
  'no-import-of-tests': {
    comment: 'A test runs; nobody imports it.',
    from: {},
    to: { path: '\\.test\\.(ts|js)$' },
  },
  'testing-is-for-tests': {
    comment: 'What prepares databases and credentials for tests has no place in a service.',
    from: {
      path: anyOf('^services/', '^packages/'),
      pathNot: anyOf(tests, '^packages/runtime/src/testing'),
    },
    to: { path: 'packages/runtime/(src|dist)/testing' },
  },
};

module.exports = {
  forbidden: Object.entries(forbidden).map(([name, rule]) => ({
    name,
    severity: 'error',
    ...rule,
  })),
  options: {
    doNotFollow: { path: '(^|/)(node_modules|dist|generated)/' },
    exclude: { path: '(^|/)\\.tap/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
