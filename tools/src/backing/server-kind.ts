import type { Program } from './program.js';
import type { ServerHome } from './server-home.js';

export const serverNames = ['postgres', 'redis', 'nats'] as const;
export type ServerName = (typeof serverNames)[number];

/** Where and how a server runs. */
export interface Site {
  home: ServerHome;
  port: number;
  /** Whether data must survive a power loss: if not, as in tests, it may be kept in memory. */
  durable: boolean;
}

export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  url: string;
}

/** What differs between the three servers; finding and supervising them is the same for all. */
export interface ServerKind {
  name: ServerName;
  title: string;
  /** Environment variable that names an existing server. */
  variable: string;
  binaries: readonly string[];
  debianPackage: string;
  dockerImage: string;
  /** What to install if no server was found. */
  advice: string;
  stopSignal: NodeJS.Signals;
  /** A program contained in an npm package, if there is one. */
  fromNpm?: (home: ServerHome) => Promise<Program | null>;
  /** Prepares the data and returns how to run the program. */
  launch: (program: Program, site: Site) => Promise<Launch>;
  /** The same for `docker run`; inside the container the server listens on its default port. */
  launchInDocker: (site: Site) => { options: string[]; args: string[]; port: number; url: string };
  /** Whether the server responds at the URL. Never rejects. */
  answers: (url: string) => Promise<boolean>;
}
