import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProjectFile } from '../tree.js';
import { type KubeObject, objectsOf, readObjects, secretOf } from './objects.js';

/** All objects of one deployment. */
export interface Bundle {
  name: string;
  objects: KubeObject[];
}

/** Compiled files run from dist/tidy/cluster/. */
const deployFolder = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const overlays = 'deploy/kubernetes/overlays';

/** A copy of deploy/ with the secrets that an operator creates first, as documented. */
export function copyWithSecrets(): string {
  const copy = mkdtempSync(join(tmpdir(), 'countersign-deploy-'));
  // Without secrets of the user of this machine.
  const filter = (path: string): boolean => !path.endsWith('/secrets.env');
  cpSync(deployFolder, copy, { recursive: true, filter });
  const production = join(copy, 'kubernetes/overlays/production');
  copyFileSync(join(production, 'secrets.env.example'), join(production, 'secrets.env'));
  execFileSync('bash', [join(copy, 'kubernetes/new-secrets.sh')], { timeout: 10_000 });
  return copy;
}

/** The objects in the files, without the patches of an overlay. */
export function readBundles(files: readonly ProjectFile[], copy: string): Bundle[] {
  const base = objectsOf(files, 'deploy/kubernetes/base');
  const scaling = objectsOf(files, 'deploy/kubernetes/components/autoscaling');
  const secrets = (overlay: string): KubeObject => {
    const path = join(copy, 'kubernetes/overlays', overlay, 'secrets.env');
    return secretOf('countersign-secrets', readFileSync(path, 'utf8'));
  };
  const databases = { name: 'postgres-databases' };
  return [
    {
      name: 'production',
      objects: merged([
        ...base,
        ...scaling,
        ...objectsOf(files, `${overlays}/production`),
        secrets('production'),
      ]),
    },
    {
      name: 'evaluation',
      objects: [
        ...base,
        ...objectsOf(files, `${overlays}/evaluation`),
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: databases },
        secrets('evaluation'),
      ],
    },
  ];
}

/** The overlays as rendered by kubectl; none if kubectl is not installed. */
export function renderBundles(copy: string): Bundle[] {
  if (!hasKubectl()) return [];
  return ['production', 'evaluation'].map((overlay) => rendered(copy, overlay));
}

/** The production overlay with one more component; null if kubectl is not installed. */
export function renderWith(copy: string, component: string): Bundle | null {
  if (!hasKubectl()) return null;
  const overlay = `production-${component}`;
  const folder = join(copy, 'kubernetes/overlays', overlay);
  mkdirSync(folder);
  const lists = `resources: [../production]\ncomponents: [../../components/${component}]\n`;
  writeFileSync(join(folder, 'kustomization.yaml'), lists);
  return rendered(copy, overlay);
}

function rendered(copy: string, overlay: string): Bundle {
  const folder = join(copy, 'kubernetes/overlays', overlay);
  const text = execFileSync('kubectl', ['kustomize', folder], { timeout: 60_000 }).toString();
  return { name: `${overlay} as rendered`, objects: readObjects(text) };
}

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['kustomize', '--help'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/** A generator of an overlay adds its lines to the ConfigMap of the same name in the base. */
function merged(objects: readonly KubeObject[]): KubeObject[] {
  const byName = new Map<string, KubeObject>();
  for (const object of objects) {
    const key = `${object.kind} ${object.metadata.name}`;
    const data = { ...byName.get(key)?.data, ...object.data };
    byName.set(key, { ...byName.get(key), ...object, data });
  }
  return [...byName.values()];
}
