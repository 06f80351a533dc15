import { test } from 'tap';
import {
  defaultMistakes,
  exampleMistakes,
  storesStoppedEarly,
  unboundedLogs,
} from './tidy/compose.js';
import { buildMistakes, imageMistakes, sharedStages, uncompilable } from './tidy/images.js';
import { deadFiles, unsharedTypes } from './tidy/imports.js';
import { deadLinks, unknownPaths } from './tidy/links.js';
import {
  behindShells,
  type Manifest,
  undeclaredPackages,
  unusedPackages,
  versionConflicts,
  workspacesOf,
} from './tidy/manifests.js';
import { definedMetrics, undocumentedMetrics, unknownMetrics } from './tidy/metrics.js';
import {
  alertMistakes,
  dashboardMistakes,
  promtoolSays,
  untestedAlerts,
} from './tidy/monitoring/alerts.js';
import { alertsFile, outdatedRule, ruleFile } from './tidy/monitoring/prometheus-rule.js';
import { unknownNames } from './tidy/monitoring/promql.js';
import { queriesOfAlerts, queriesOfDashboard } from './tidy/monitoring/queries.js';
import { composeMistakes, type ReadVariable, variablesOf } from './tidy/settings.js';
import {
  anys,
  checkNodes,
  defaultExports,
  enums,
  longFunctions,
  manyParameters,
  type NodeCheck,
  nonNullAssertions,
  parse,
} from './tidy/syntax.js';
import {
  type Finding,
  findLines,
  isConfig,
  isSource,
  isTest,
  type ProjectFile,
  readProject,
} from './tidy/tree.js';

const maxFileLines = 250;
const maxTestFileLines = 400;
const maxFunctionLines = 70;
const maxColumns = 100;
const maxParameters = 3;
const maxFileBytes = 1_000_000;

const files = readProject();
const sources = files.filter(isSource);
const parsed = sources.map(parse);
const workspaces = workspacesOf(files, parsed);
const services = [...new Set(files.flatMap(({ path }) => path.match(/^services\/[^/]+/) ?? []))];

/** A check passes without findings; otherwise the report lists every place. */
function check(name: string, find: () => Finding[]): void {
  test(name, (t) => {
    t.strictSame(find(), []);
    t.end();
  });
}

function checkSyntax(name: string, nodeCheck: NodeCheck, only = parsed): void {
  check(name, () => checkNodes(only, nodeCheck));
}

function fileNamed(path: string): ProjectFile | undefined {
  return files.find((file) => file.path === path);
}

function existing(path: string): ProjectFile {
  const file = fileNamed(path);
  if (!file) throw new Error(`${path} is missing`);
  return file;
}

check('a file is short enough to be read at once', () =>
  sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    const most = isTest(path) ? maxTestFileLines : maxFileLines;
    return lines > most ? [`${path}:${most + 1}: ${lines} lines (at most ${most})`] : [];
  }),
);

check('keys are generated where that cannot stop the process', () =>
  sources
    .filter(({ path }) => path !== 'packages/runtime/src/fresh-key-pair.ts')
    .flatMap((file) => findLines(file, /\bgenerateKeyPairSync\b/, 'use freshKeyPair')),
);

check('a line fits the width of the page', () =>
  files
    .filter((file) => isSource(file) || /\.proto$/.test(file.path))
    .flatMap((file) => findLines(file, new RegExp(`.{${maxColumns + 1}}`, 'u'), 'line too long')),
);

checkSyntax('a function does one thing', longFunctions(maxFunctionLines));
checkSyntax('positional parameters can be told apart', manyParameters(maxParameters));
checkSyntax(
  'an export has one name',
  defaultExports,
  parsed.filter(({ path }) => !isConfig(path)),
);
checkSyntax('no enums', enums);
checkSyntax('no any', anys);
checkSyntax('no non-null assertions', nonNullAssertions);

check('every file and folder earns a noun', () =>
  files.flatMap(({ path }) => {
    const words = path.toLowerCase().split(/[/.\-_]/);
    const empty = words.find((word) => /^(utils?|helpers?|commons?|libs?|misc)$/.test(word));
    return empty ? [`${path}:1: "${empty}" says nothing`] : [];
  }),
);

const running = parsed.filter(({ path }) => /^(services|packages)\//.test(path) && !isTest(path));
const metrics = definedMetrics(running);

const documents = files.filter(({ path }) => /^(docs|services|packages)\/.*\.md$/.test(path));

check('a link of a document leads somewhere', () => deadLinks(files));

check('the guide for changes names files that exist', () =>
  unknownPaths(existing('CONTRIBUTING.md'), files),
);

check('a metric that a document names is defined', () => unknownMetrics(documents, metrics));

check('a metric that is defined has its place in a document', () =>
  undocumentedMetrics(documents, metrics),
);

check('a metric or label that an alert or a panel asks for is defined', () => {
  const queries = [
    ...queriesOfAlerts(existing(alertsFile)),
    ...queriesOfDashboard(existing('deploy/monitoring/dashboard.json')),
  ];
  const vocabulary = { metrics, sources: running.map(({ text }) => text).join('\n') };
  return queries.flatMap((query) => unknownNames(query, vocabulary));
});

check('an alert says how urgent it is, what it means and where to read on', () =>
  alertMistakes(existing(alertsFile), existing('docs/operations.md')),
);

check('an alert fires in a case', () =>
  untestedAlerts(existing(alertsFile), existing('deploy/monitoring/alerts.test.yaml')),
);

check('the alerts for the Prometheus Operator are those for Prometheus', () =>
  outdatedRule(existing(alertsFile), existing(ruleFile)),
);

check('a panel asks the data source that is chosen', () =>
  dashboardMistakes(existing('deploy/monitoring/dashboard.json')),
);

test('alerts fire when they should', (t) => {
  const said = promtoolSays();
  if (said === null) t.comment('promtool is not installed');
  else t.match(said, /SUCCESS: \d+ rules found[\s\S]*SUCCESS/);
  t.end();
});

check('no file is dead', () => {
  const mentions = files
    .filter(({ path }) => /(package\.json|Dockerfile|\.ya?ml|\.mjs|^\.ci\/run)$/.test(path))
    .map(({ text }) => text)
    .join('\n');
  const isEntry = (path: string): boolean => {
    const compiled = path.replace(/^.*\/src\//, '').replace(/\.tsx?$/, '.js');
    return /\.(mjs|cjs)$/.test(path) || isConfig(path) || mentions.includes(`dist/${compiled}`);
  };
  return deadFiles(parsed, isEntry).map((path) => `${path}:1: nothing leads here`);
});

check('a type is exported only where another file needs it', () => {
  // The compiler names these in the declarations of files that infer them.
  const inferred = ['Criterion', 'RunningService', 'Setting', 'TestLedger', 'WebhookEnvelope'];
  const unpublished = /^(services|packages\/(?!sdk\/|mcp\/))/;
  return unsharedTypes(parsed, (path, name) => unpublished.test(path) && !inferred.includes(name));
});

check('every service has the same rooms', () =>
  services.flatMap((service) =>
    ['package.json', 'tsconfig.json', 'README.md', 'Dockerfile', 'prisma/schema.prisma']
      .concat(['main', 'config', 'context', 'server', 'handlers/index'].map((f) => `src/${f}.ts`))
      .concat('prisma/migrations/migration_lock.toml')
      .filter((room) => service !== 'services/gateway' || room !== 'src/handlers/index.ts')
      .filter((room) => !fileNamed(`${service}/${room}`))
      .map((room) => `${service}/${room}:1: missing`),
  ),
);

check('the README of a service names every variable it reads', () =>
  services.flatMap((service) => {
    const readme = fileNamed(`${service}/README.md`)?.text ?? '';
    return variablesRead(service)
      .filter(({ name }) => !readme.includes(`\`${name}\``))
      .map(({ name }) => `${service}/README.md:1: ${name} is not explained`);
  }),
);

check('the compose file tells a service what it reads', () => {
  const compose = fileNamed('docker-compose.yml');
  if (!compose) return ['docker-compose.yml:1: missing'];
  return services.flatMap((service) => {
    const image = fileNamed(`${service}/Dockerfile`)?.text ?? '';
    const read = variablesRead(service);
    return composeMistakes(compose, service.replace('services/', ''), { read, image });
  });
});

check('the compose file has the defaults of the services, and .env.example all of them', () => {
  const compose = existing('docker-compose.yml');
  const readmes = services.map((service) => existing(`${service}/README.md`));
  return [
    ...defaultMistakes(compose, readmes),
    ...exampleMistakes(compose, existing('.env.example')),
  ];
});

check('compose stops a store after the services that are told of it', () =>
  files.filter(({ path }) => path === 'docker-compose.yml').flatMap(storesStoppedEarly),
);

check('compose keeps no log without a bound', () =>
  files.filter(({ path }) => path === 'docker-compose.yml').flatMap(unboundedLogs),
);

const images = files.filter(({ path }) => path.endsWith('Dockerfile'));

check('an image has the workspaces that its own imports, and no other', () =>
  images.flatMap((image) => imageMistakes(image, workspaces)),
);

check('an image is built with what the workspaces name, and nothing else', () => {
  const bootstrap = files.filter(({ path }) => path.startsWith('tools/bootstrap'));
  return buildMistakes(images, bootstrap, workspaces);
});

check('an image compiles no source that imports what only the root names', () =>
  uncompilable(fileNamed('.dockerignore')?.text ?? '', workspaces),
);

check('images share their first stages, so that building all runs these once', () =>
  images
    .filter((image, _at, [first]) => sharedStages(image) !== sharedStages(first ?? image))
    .map(({ path }) => `${path}:1: its first stages are others`),
);

function variablesRead(service: string): ReadVariable[] {
  const config = parsed.find(({ path }) => path === `${service}/src/config.ts`);
  const shared = parsed.find(({ path }) => path === 'packages/runtime/src/process-settings.ts');
  return config && shared ? variablesOf(config, shared) : [];
}

check('a package is declared where it is imported', () => {
  const root = JSON.parse(fileNamed('package.json')?.text ?? '{}') as Manifest;
  return workspaces.flatMap((workspace) => undeclaredPackages(workspace, root));
});

check('a package is imported where it is declared', () => workspaces.flatMap(unusedPackages));

check('a service that npm starts gets the signals that npm gets', () => behindShells(workspaces));

check('a package has one exact version', () => versionConflicts(workspaces));

check('the lock file names no address', () =>
  files
    .filter(({ path }) => path === 'package-lock.json')
    .flatMap((file) => findLines(file, /"resolved": "[a-z+]+:/, 'address of a registry')),
);

check('no file names a registry or a machine', () => {
  const registry = /\bregistry\.[a-z0-9-]+\.[a-z]{2,}|artifactory|\bverdaccio\b/i;
  const machine = /(^|[\s"'`=(:])\/(work|root|shared|Users|home\/(?!node\b)\w+)\//;
  return files
    .filter(({ path }) => !path.startsWith('tidy'))
    .flatMap((file) => [
      ...findLines(file, registry, 'host of a registry'),
      ...findLines(file, machine, 'path of one machine'),
    ]);
});

check('unfinished work is in an issue, not in a file', () =>
  files
    .filter(({ path }) => !path.startsWith('tidy') && path !== 'package-lock.json')
    .flatMap((file) => findLines(file, /\b(TODO|FIXME|HACK)\b/, 'unfinished')),
);

check('no file is large', () =>
  files
    .filter(({ bytes }) => bytes > maxFileBytes)
    .map(({ path, bytes }) => `${path}:1: ${bytes} bytes (at most ${maxFileBytes})`),
);
