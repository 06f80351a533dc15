import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashContents, isFresh, setFresh } from './fingerprint.mjs';
import { run, timed } from './step.mjs';
import { withReferences, workspaces } from './workspaces.mjs';

/** The generator uses one core; more processes than this would only compete. */
const atOnce = 2;

/** Generates code from schemas and contracts whose inputs have changed. */
export async function generate(root, folders) {
  const wanted = folders ? withReferences(root, folders) : workspaces(root);
  if (wanted.includes('proto')) await generateProto(root);
  if (wanted.includes('packages/sdk')) await generateClientTypes(root);
  const clients = wanted.map((folder) => clientOf(root, folder)).filter(Boolean);
  const stale = clients.filter(({ stamp, fingerprint }) => !isFresh(stamp, fingerprint));
  if (stale.length === 0) return;
  const names = stale.map(({ folder }) => folder).join(', ');
  await timed(`generating the database clients of ${names}`, async () => {
    const lanes = Array.from({ length: atOnce }, async () => {
      for (let next = stale.shift(); next; next = stale.shift()) await generatePrisma(root, next);
    });
    await Promise.all(lanes);
  });
}

function clientOf(root, folder) {
  const schema = join(root, folder, 'prisma/schema.prisma');
  if (!existsSync(schema)) return null;
  const output = join(root, folder, 'src/generated/prisma');
  const fingerprint = hashContents([schema], version(root, 'prisma'));
  return { folder, schema, output, fingerprint, stamp: join(output, '.inputs') };
}

function version(root, name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}

async function generatePrisma(root, { folder, schema, output, stamp, fingerprint }) {
  const cli = join(root, 'node_modules/prisma/build/index.js');
  const env = {
    ...process.env,
    // Generating needs no engine, but the command downloads one unless it is given an executable.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const args = [cli, 'generate', '--schema', schema];
  const todo = `Correct ${folder}/prisma/schema.prisma and run the command again.`;
  rmSync(output, { recursive: true, force: true });
  await run(process.execPath, args, { cwd: root, env, todo });
  setFresh(stamp, fingerprint);
}

/** The loader in proto/src/load.ts uses the same options; with others the types would be wrong. */
const protoOptions = [
  '--longs=String',
  '--enums=String',
  '--defaults',
  '--oneofs',
  '--includeComments',
  '--grpcLib=@grpc/grpc-js',
  '--inputTemplate=%sInput',
  '--outputTemplate=%s',
  '--targetFileExtension=.ts',
  '--importFileExtension=.js',
];

async function generateProto(root) {
  const output = join(root, 'proto/src/generated');
  const stamp = join(output, '.inputs');
  const names = readdirSync(join(root, 'proto')).filter((name) => name.endsWith('.proto'));
  const files = names.sort().map((name) => join('proto', name));
  if (files.length === 0) return;
  const fingerprint = hashContents(
    // With this file, which says what is generated.
    [...files.map((file) => join(root, file)), import.meta.filename],
    version(root, '@grpc/proto-loader'),
  );
  if (isFresh(stamp, fingerprint)) return;
  const tool = 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js';
  const args = [join(root, tool), ...protoOptions, '-I', 'proto', '-O', output, ...files];
  const todo = 'Correct the .proto files and run the command again.';
  rmSync(output, { recursive: true, force: true });
  await timed('generating the types of the service contracts', () =>
    run(process.execPath, args, { cwd: root, todo }),
  );
  for (const folder of versionFolders(output)) writeIndex(folder);
  setFresh(stamp, fingerprint);
}

/** The folders of the packages that the contracts define, such as `countersign/ledger/v1`. */
function versionFolders(output) {
  return readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === 'v1')
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** One file that exports all types of a package. */
function writeIndex(folder) {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, '.js'));
  const lines = names.sort().map((name) => `export type * from './${name}';\n`);
  writeFileSync(join(folder, 'index.ts'), lines.join(''));
}

/** A field with a default may be omitted in requests. */
const clientOptions = ['--default-non-nullable=false'];

async function generateClientTypes(root) {
  const contract = join(root, 'packages/sdk/openapi.json');
  const output = join(root, 'packages/sdk/src/generated/openapi.ts');
  const stamp = join(root, 'packages/sdk/src/generated/.inputs');
  const fingerprint = hashContents([contract], clientOptions, version(root, 'openapi-typescript'));
  if (isFresh(stamp, fingerprint)) return;
  const cli = join(root, 'node_modules/openapi-typescript/bin/cli.js');
  const args = [cli, contract, '-o', output, ...clientOptions];
  const todo = 'Write packages/sdk/openapi.json anew: npm run client-contract -w services/gateway';
  await timed('generating the types of the client', () =>
    run(process.execPath, args, { cwd: root, todo }),
  );
  setFresh(stamp, fingerprint);
}
