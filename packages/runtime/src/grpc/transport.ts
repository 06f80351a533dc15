import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  type ChannelCredentials,
  type ClientOptions,
  credentials,
  experimental,
  ServerCredentials,
} from '@grpc/grpc-js';
import type { grpcTlsSettings } from '../process-settings.js';
import { type Settings, SettingsError } from '../settings.js';
import { hostsOf } from './addresses.js';

/** How the services talk to each other: all of them in the clear, or all with mutual TLS. */
export interface GrpcTransport {
  /** For connections to the service at `host:port`, or at a list of them. */
  client(address: string): { credentials: ChannelCredentials; options: ClientOptions };
  server(): ServerCredentials;
}

export const inTheClear: GrpcTransport = {
  client: () => ({ credentials: credentials.createInsecure(), options: {} }),
  server: () => ServerCredentials.createInsecure(),
};

/** PEM files: the certificate of this service, its key, and the CA of all services. */
interface GrpcTlsFiles {
  certFile: string;
  keyFile: string;
  caFile: string;
  /** How often the files are read again. */
  refreshMs?: number;
}

export function grpcTransport(config: Settings<typeof grpcTlsSettings>): GrpcTransport {
  const { grpcCertFile: certFile, grpcKeyFile: keyFile, grpcCaFile: caFile } = config;
  if (certFile === null && keyFile === null && caFile === null) return inTheClear;
  if (certFile === null || keyFile === null || caFile === null) {
    // With less than all three, one side would not be verified.
    throw new SettingsError([
      'GRPC_CERT_FILE, GRPC_KEY_FILE and GRPC_CA_FILE must be set together',
    ]);
  }
  return mutualTls({ certFile, keyFile, caFile });
}

/** Well below the time for which the former certificate is valid beside its successor. */
const defaultRefreshMs = 10_000;
/** What a TLS client asks a server for must not be an IP address. */
const nameOfAnAddress = 'countersign';

/**
 * Both sides must have a certificate of the CA, and the server's must be for its host. New files
 * are used for new connections, and the servers end each connection within a minute, so a
 * certificate is exchanged without a restart.
 */
export function mutualTls({ certFile, keyFile, caFile, refreshMs }: GrpcTlsFiles): GrpcTransport {
  const files = new experimental.FileWatcherCertificateProvider({
    certificateFile: certFile,
    privateKeyFile: keyFile,
    caCertificateFile: caFile,
    refreshIntervalMs: refreshMs ?? defaultRefreshMs,
  });
  return {
    client(address) {
      const hosts = hostsOf(address);
      const [first = ''] = hosts;
      const name = isIP(first) ? nameOfAnAddress : first;
      return {
        credentials: experimental.createCertificateProviderChannelCredentials(files, files, {
          // By what was configured, whatever address or name the connection is made with.
          checkServerIdentity: (_name, certificate) => mismatch(hosts, certificate),
        }),
        // Streams connect to replicas by their IP addresses.
        options: { 'grpc.ssl_target_name_override': name },
      };
    },
    server: () => experimental.createCertificateProviderServerCredentials(files, files, true),
  };
}

/** Why the certificate is for none of the hosts; undefined if it is for one of them. */
function mismatch(hosts: readonly string[], certificate: PeerCertificate): Error | undefined {
  const mismatches = hosts.map((host) => checkServerIdentity(host, certificate));
  return mismatches.includes(undefined) ? undefined : mismatches[0];
}
