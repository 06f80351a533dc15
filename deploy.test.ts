import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { strayExceptions } from './tidy/cluster/blocks.js';
import {
  type Bundle,
  copyWithSecrets,
  readBundles,
  renderBundles,
  renderWith,
} from './tidy/cluster/bundles.js';
import { blocksOf, callersOf, deniesByDefault, mayCall, mayReach } from './tidy/cluster/network.js';
import {
  type KubeObject,
  objectsOf,
  ofKind,
  readKustomization,
  secretOf,
  type Workload,
  workloadsOf,
} from './tidy/cluster/objects.js';
import {
  probeMistakes,
  selectorMistakes,
  shutdownMistakes,
  softSpots,
} from './tidy/cluster/pods.js';
import { serviceTlsMistakes } from './tidy/cluster/service-tls.js';
import {
  danglingReferences,
  imageSays,
  secretKeysOf,
  settingMistakes,
} from './tidy/cluster/settings.js';
import { tracesMistakes } from './tidy/cluster/traces.js';
import { type Variable, variablesOf } from './tidy/settings.js';
import { parse } from './tidy/syntax.js';
import { type Finding, readProject } from './tidy/tree.js';

const files = readProject();
const fileNamed = (path: string) => files.find((file) => file.path === path);
const textOf = (path: string): string => fileNamed(path)?.text ?? '';
const services = ['gateway', 'identity', 'decision', 'ledger', 'notifier', 'settlement'];
const folder = 'deploy/kubernetes';
const grpcPort = 50051;
const operatorPort = 8081;
/** Default of DATABASE_POOL_SIZE. */
const connectionsOfPool = 10;

const copy = copyWithSecrets();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
/** The plain files wherever the tests run, and the output of kubectl where it is installed. */
const bundles = [...readBundles(files, copy), ...renderBundles(copy)];

/** Runs a check on every bundle; it passes without findings and otherwise lists every place. */
function check(name: string, find: (bundle: Bundle, all: Workload[]) => Finding[]): void {
  test(name, (t) => {
    for (const bundle of bundles) {
      t.strictSame(find(bundle, workloadsOf(bundle.objects)), [], bundle.name);
    }
    t.end();
  });
}

const imageOf = (service: string): string => textOf(`services/${service}/Dockerfile`);
const isService = ({ name }: Workload): boolean => services.includes(name);

function variablesRead(service: string): Variable[] {
  const config = fileNamed(`services/${service}/src/config.ts`);
  const shared = fileNamed('packages/runtime/src/process-settings.ts');
  return config && shared ? variablesOf(parse(config), parse(shared)) : [];
}

function named(all: readonly Workload[], name: string): Workload {
  const found = all.find((workload) => workload.name === name);
  if (!found) throw new Error(`there is no workload ${name}`);
  return found;
}

test('every service is deployed, from an image that the repository makes', (t) => {
  const { images = [] } = readKustomization(
    fileNamed(`${folder}/overlays/production/kustomization.yaml`),
  );
  const release = JSON.parse(textOf('package.json')).version as string;
  for (const { name, objects } of bundles) {
    const own = workloadsOf(objects).filter(({ container }) => /countersign/.test(container.image));
    t.same(
      own.map((each) => each.name).sort(),
      [...services, 'migrate', ...(name.startsWith('evaluation') ? ['seed'] : [])].sort(),
    );
    for (const { name: workload, container } of own) {
      const [, image = '', tag] = /countersign\/(\w+):(.+)$/.exec(container.image) ?? [];
      t.equal(image, services.includes(workload) ? workload : 'tools');
      t.equal(tag, release, 'the release that the repository is at');
      t.ok(fileNamed(image === 'tools' ? 'tools/Dockerfile' : `services/${image}/Dockerfile`));
      t.ok(images.some((each) => each.name === `countersign/${image}`));
    }
  }
  t.end();
});

check('a service is told what it reads, and secrets by a Secret', ({ objects }, all) =>
  all.filter(isService).flatMap((workload) => {
    const { name } = workload;
    const facts = { variables: variablesRead(name), image: imageOf(name) };
    return settingMistakes(workload, objects, facts);
  }),
);

check('what is referred to is defined', ({ objects }, all) =>
  all.flatMap((workload) => danglingReferences(workload, objects)),
);

test('the example of secrets names what is used, all of it, and has no value', (t) => {
  const example = secretOf('', textOf(`${folder}/overlays/production/secrets.env.example`));
  for (const { name, objects } of bundles.filter((each) => each.name.startsWith('production'))) {
    const used = secretKeysOf(workloadsOf(objects));
    t.same(Object.keys(example.data ?? {}).sort(), [...used].sort(), name);
  }
  t.same(new Set(Object.values(example.data ?? {})), new Set(['']));
  const kept = files.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path);
  t.notOk(kept.some((path) => path.endsWith('secrets.env')));
  t.end();
});

check('the migration reaches every database that a service has', ({ objects }, all) => {
  const told = new Map(
    named(all, 'migrate').container.env?.map(({ name, valueFrom }) => [
      name,
      valueFrom?.secretKeyRef?.key,
    ]),
  );
  return services
    .flatMap((service) => {
      const { container } = named(all, service);
      const urls = (container.env ?? []).filter(({ name }) => name.startsWith('DATABASE_URL'));
      const wrong = urls.filter(({ name, valueFrom }) => {
        const variable = `${service.toUpperCase()}_${name}`;
        return valueFrom?.secretKeyRef?.key !== variable || told.get(variable) !== variable;
      });
      const few = urls.length === (service === 'gateway' ? 1 : 2) ? [] : [`${service}: databases`];
      return [...few, ...wrong.map(({ name }) => `${service}: ${name}`)];
    })
    .concat(mayReach(named(all, 'migrate'), 5432, objects) ? [] : ['migrate: cannot reach']);
});

check('an address is that of a headless Service, and every replica behind it is asked', (bundle) =>
  calls(bundle).flatMap(({ from, variable, value }) => {
    const [, host, port] = /^([a-z]+):(\d+)$/.exec(value) ?? [];
    const service = ofKind(bundle.objects, 'Service').find(
      ({ metadata }) => metadata.name === host,
    );
    const target = service?.spec?.ports?.find((each) => String(each.port) === port)?.targetPort;
    const callee = workloadsOf(bundle.objects).find(({ name }) => name === host);
    const listens = callee?.container.ports?.find(({ name }) => name === target)?.containerPort;
    const right =
      variable === `${host?.toUpperCase()}_ADDRESS` &&
      service?.spec?.clusterIP === 'None' &&
      String(listens) === imageSays(imageOf(host ?? ''), 'GRPC_PORT');
    return right ? [] : [`${from.name}: ${variable} is ${value}`];
  }),
);

/** Every address of a service that another service is configured with. */
function calls({ objects }: Bundle): Array<{ from: Workload; variable: string; value: string }> {
  return workloadsOf(objects)
    .filter(isService)
    .flatMap((from) =>
      (from.container.env ?? [])
        .filter(({ name }) => name.endsWith('_ADDRESS'))
        .map(({ name, value = '' }) => ({ from, variable: name, value })),
    );
}

check('a service may call those whose address it has, and no other', (bundle, all) => {
  const given = new Set(calls(bundle).map(({ from, value }) => `${from.name} ${value}`));
  return all.flatMap((from) =>
    services
      .filter((name) => name !== 'gateway')
      .filter((name) => {
        const { leaves, arrives } = mayCall([from, named(all, name)], grpcPort, bundle.objects);
        const wanted = given.has(`${from.name} ${name}:${grpcPort}`);
        return leaves !== wanted || arrives !== wanted;
      })
      .map((name) => `${from.name} and ${name}`),
  );
});

check('a store may be reached by those who are told where it is, and by no other', (bundle, all) =>
  all.filter(isService).flatMap((from) => {
    const told = new Set(from.container.env?.map(({ name }) => name));
    const stores = [
      { port: 5432, variable: from.name === 'gateway' ? 'DATABASE_URL' : 'DATABASE_URL_LIVE' },
      { port: 6379, variable: 'REDIS_URL' },
      { port: 4222, variable: 'NATS_URL' },
    ];
    return stores
      .filter(({ port, variable }) => mayReach(from, port, bundle.objects) !== told.has(variable))
      .map(({ variable }) => `${from.name}: ${variable}`);
  }),
);

test('the addresses of the stores replace nothing in policies for other addresses', (t) => {
  const { patches = [] } = readKustomization(
    fileNamed(`${folder}/overlays/production/kustomization.yaml`),
  );
  const named = /NetworkPolicy\nmetadata: \{ name: ([a-z-]+)/g;
  const guide = textOf('docs/kubernetes.md').matchAll(named);
  const policies = ofKind(bundles[0]?.objects ?? [], 'NetworkPolicy');
  const names = [...policies.map(({ metadata }) => metadata.name), ...[...guide].map(([, n]) => n)];
  const patched = names.filter((name = '') =>
    patches.some(({ target }) => new RegExp(`^(?:${target.name})$`).test(name)),
  );
  t.ok(names.includes('to-relay'), 'the policy of the guide is read');
  t.same(patched.sort(), ['to-nats', 'to-postgres', 'to-redis']);
  t.end();
});

check('only what must reaches the internet, and never a private address', ({ objects }, all) =>
  all.flatMap((from) => {
    const open = blocksOf(from, objects).filter(({ cidr }) => cidr.endsWith('/0'));
    const allowed = ['notifier', 'settlement'].includes(from.name);
    const closed = [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '127.0.0.0/8',
    ];
    return open
      .filter(({ cidr, except }) => {
        const wanted = cidr.includes(':') ? ['fc00::/7', 'fe80::/10', '::1/128'] : closed;
        return !allowed || !wanted.every((block) => except.includes(block));
      })
      .map(({ cidr }) => `${from.name}: ${cidr}`);
  }),
);

check('what a policy leaves out lies in what it names', ({ objects }) => strayExceptions(objects));

check('what no policy names is denied', ({ objects }) =>
  deniesByDefault(objects) ? [] : ['nothing denies'],
);

check('the operator is reached by pods that say so, and by no way from outside', (bundle, all) => {
  const { objects } = bundle;
  const gateway = named(all, 'gateway');
  const labels = { 'countersign/operator': 'true' };
  const mine = [[{ podSelector: { matchLabels: labels } }]];
  const port = imageSays(imageOf('gateway'), 'INTERNAL_PORT');
  const behind = (service: KubeObject): number[] =>
    (service.spec?.ports ?? []).flatMap(
      ({ targetPort }) =>
        gateway.container.ports?.find(({ name }) => name === targetPort)?.containerPort ?? [],
    );
  const toOperator = ofKind(objects, 'Service').filter((each) =>
    behind(each).includes(operatorPort),
  );
  const routed = ofKind(objects, 'Ingress').flatMap(({ spec }) =>
    (spec?.rules ?? []).flatMap(({ http }) =>
      http.paths.map(({ backend }) => backend.service?.name),
    ),
  );
  const open = ofKind(objects, 'Service').filter(
    ({ spec }) => spec?.type && spec.type !== 'ClusterIP',
  );
  const holds: Array<[string, boolean]> = [
    ['the port is another', port === String(operatorPort)],
    ['callers', same(callersOf(gateway, operatorPort, objects), mine)],
    ['the public port is closed', callersOf(gateway, 8080, objects).includes(null)],
    [
      'Services',
      same(
        toOperator.map(({ metadata }) => metadata.name),
        ['gateway-operator'],
      ),
    ],
    ['the Ingress', routed.every((name) => name === 'gateway')],
    ['there is an Ingress', bundle.name.startsWith('evaluation') || routed.length > 0],
    ['a Service is open', open.length === 0],
  ];
  return holds.filter(([, good]) => !good).map(([what]) => what);
});

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

check('a pod is hardened, bounded, and writes to its volumes only', (_bundle, all) =>
  all.flatMap(softSpots),
);

check('a pod runs as the user of its image, whom a cluster can tell from root', (_bundle, all) =>
  all
    .filter(({ container }) => container.image.includes('countersign/'))
    .filter(({ name, pod }) => {
      const image = services.includes(name) ? imageOf(name) : textOf('tools/Dockerfile');
      const { runAsUser, runAsGroup } = pod.securityContext ?? {};
      return /^USER (.+)$/m.exec(image)?.[1] !== `${runAsUser}:${runAsGroup}`;
    })
    .map(({ name }) => name),
);

check('probes ask the port that the image answers them on', (_bundle, all) =>
  all.filter(isService).flatMap((each) => probeMistakes(each, imageOf(each.name))),
);

check('a pod is not killed before it has finished', (_bundle, all) =>
  all.filter(isService).flatMap(shutdownMistakes),
);

check('what selects pods selects those of one workload', ({ objects }, all) =>
  selectorMistakes(objects, all),
);

check('a journal outlives its pod, and no autoscaler takes one away', ({ objects }, all) => {
  const { kind, object, container } = named(all, 'gateway');
  const path = dirname(imageSays(imageOf('gateway'), 'FAIL_SAFE_JOURNAL') ?? '/');
  const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === path);
  const claims = object.spec?.volumeClaimTemplates ?? [];
  const retention = object.spec?.persistentVolumeClaimRetentionPolicy;
  const scalers = ofKind(objects, 'HorizontalPodAutoscaler').filter(
    ({ spec }) => spec?.scaleTargetRef?.name === 'gateway',
  );
  const holds: Array<[string, boolean]> = [
    ['no volume of its own', claims.some(({ metadata }) => metadata.name === mount?.name)],
    ['the volume goes', same(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' })],
    ['not a StatefulSet', kind === 'StatefulSet'],
    [
      'scaled in by itself',
      scalers.every(({ spec }) => spec?.behavior?.scaleDown?.selectPolicy === 'Disabled'),
    ],
  ];
  return holds.filter(([, good]) => !good).map(([what]) => what);
});

check('an autoscaler scales what is there', ({ objects }, all) =>
  ofKind(objects, 'HorizontalPodAutoscaler')
    .filter(({ spec }) => {
      const target = all.find(({ name }) => name === spec?.scaleTargetRef?.name);
      return !target || target.kind !== spec?.scaleTargetRef?.kind;
    })
    .map(({ metadata }) => metadata.name),
);

test('the guide counts the connections that all replicas together may take', (t) => {
  const objects = bundles[0]?.objects ?? [];
  const { replicas = [] } = readKustomization(
    fileNamed(`${folder}/overlays/production/kustomization.yaml`),
  );
  const most = services.map((service) => {
    const scaler = ofKind(objects, 'HorizontalPodAutoscaler').find(
      ({ metadata }) => metadata.name === service,
    );
    const fixed = replicas.find(({ name }) => name === service)?.count ?? 1;
    const databases = service === 'gateway' ? 1 : 2;
    return (scaler?.spec?.maxReplicas ?? fixed) * databases * connectionsOfPool;
  });
  const sum = most.reduce((one, other) => one + other, 0);
  t.match(textOf('docs/kubernetes.md'), new RegExp(`their maxima that is ${sum},`));
  t.end();
});

test('traces: all six are told of the collector, and may reach its namespace alone', (t) => {
  const component = objectsOf(files, `${folder}/components/traces`);
  const read = new Map(services.map((service) => [service, variablesRead(service)]));
  t.same(tracesMistakes(component, read), []);
  t.end();
});

test('service TLS: all six have the certificate, and it is for every host they call', (t) => {
  const bundle = renderWith(copy, 'service-tls');
  if (!bundle) return t.end();
  const own = workloadsOf(bundle.objects).filter(isService);
  const read = new Map(services.map((service) => [service, variablesRead(service)]));
  t.equal(own.length, services.length);
  t.same(serviceTlsMistakes(bundle.objects, own, read), []);
  t.end();
});

test('secrets are made once, are good ones, and are for their owner alone', (t) => {
  const path = join(copy, 'kubernetes/overlays/evaluation/secrets.env');
  const before = readFileSync(path, 'utf8');
  const { data = {} } = secretOf('', before);
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(Buffer.from(data.SECRETS_KEY ?? '', 'base64').length, 32);
  t.match(data.ADMIN_KEY, /^[0-9a-f]{64}$/);
  t.match(data.DATABASE_PASSWORD, /^[0-9a-f]{48}$/);
  t.not(data.POSTGRES_PASSWORD, data.DATABASE_PASSWORD);
  const url = new URL(data.LEDGER_DATABASE_URL_SANDBOX ?? '');
  t.equal(url.password, data.DATABASE_PASSWORD);
  t.equal(url.pathname, '/countersign_ledger_sandbox');
  const again = () =>
    execFileSync('bash', [join(copy, 'kubernetes/new-secrets.sh')], { stdio: 'pipe' });
  t.throws(again, /there already/);
  t.equal(readFileSync(path, 'utf8'), before);
  t.end();
});
