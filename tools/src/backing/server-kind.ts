import type { Program } from './program.js';
import type { ServerHome } from './server-home.js';

export const serverNames = ['postgres', 'redis', 'nats'] as const;
export type ServerName = (typeof serverNames)[number];

/** Where and how an own server is to run. */
export interface Site {
  home: ServerHome;
  port: number;
  /** Whether what is written must survive a loss of power; tests can do without. */
  durable: boolean;
}

export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  url: string;
}

/** What differs between the three servers; the way of finding and keeping one is the same. */
export interface ServerKind {
  name: ServerName;
  title: string;
  /** Environment variable that names an existing server. */
  variable: string;
  binaries: readonly string[];
  debianPackage: string;
  dockerImage: string;
  /** What to install where nothing was found. */
  advice: string;
  stopSignal: NodeJS.Signals;
  /** A program that came with an npm package, where there is one. */
  fromNpm?: (home: ServerHome) => Promise<Program | null>;
  /** Prepares the data and says how to run the program. */
  launch: (program: Program, site: Site) => Promise<Launch>;
  /** The same through `docker run`; the server listens on its usual port inside. */
  launchInDocker: (site: Site) => { options: string[]; args: string[]; port: number; url: string };
  /** Whether the server answers there. Never rejects. */
  answers: (url: string) => Promise<boolean>;
}
