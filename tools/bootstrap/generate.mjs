import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashContents, isFresh, setFresh } from './fingerprint.mjs';
import { run, timed } from './step.mjs';
import { withReferences, workspaces } from './workspaces.mjs';

/** Writes what is generated from schemas and contracts, where the inputs have changed. */
export async function generate(root, folders) {
  const wanted = folders ? withReferences(root, folders) : workspaces(root);
  if (wanted.includes('proto')) await generateProto(root);
  // One after the other: each takes a core and a second, and happens only after a schema change.
  for (const folder of wanted) {
    const schema = join(root, folder, 'prisma/schema.prisma');
    if (existsSync(schema)) await generatePrisma(root, folder, schema);
  }
}

function version(root, name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}

async function generatePrisma(root, folder, schema) {
  const output = join(root, folder, 'src/generated/prisma');
  const stamp = join(output, '.inputs');
  const fingerprint = hashContents([schema], version(root, 'prisma'));
  if (isFresh(stamp, fingerprint)) return;
  const cli = join(root, 'node_modules/prisma/build/index.js');
  const env = {
    ...process.env,
    // Generating uses no engine, yet the command downloads one unless it is given some executable.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const args = [cli, 'generate', '--schema', schema];
  const todo = `Correct ${folder}/prisma/schema.prisma and run the command again.`;
  rmSync(output, { recursive: true, force: true });
  await timed(`generating the database client of ${folder}`, () =>
    run(process.execPath, args, { cwd: root, env, todo }),
  );
  setFresh(stamp, fingerprint);
}

/** The loader in proto/src/load.ts uses the same options: types made with others would lie. */
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
    files.map((file) => join(root, file)),
    protoOptions,
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
  setFresh(stamp, fingerprint);
}
