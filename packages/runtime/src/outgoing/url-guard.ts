import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Environment } from '@countersign/kernel/environment';
import { isPublicAddress } from './public-address.js';

/** Why a URL is refused; used in the message of a 422. */
export type UrlProblem =
  | 'url_malformed'
  | 'url_too_long'
  | 'scheme_not_https'
  | 'credentials_in_url'
  | 'port_not_allowed'
  | 'name_not_resolved'
  | 'address_not_public';

interface UrlGuardOptions {
  /** `host` or `host:port`, exempt from the checks of address and scheme, for development. */
  allowedHosts: readonly string[];
  /** Name servers to ask instead of the system's. */
  dnsServers?: readonly string[] | undefined;
  /** Overridden only by tests, which have no public addresses. */
  isPublic?: (address: string) => boolean;
}

const maxUrlLength = 2048;
const livePorts: ReadonlySet<string> = new Set(['443', '8443']);
const dnsTryMs = 1_000;
const dnsDeadlineMs = 3_000;

/** Thrown while connecting; never retried. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is not a public one');
    this.name = 'AddressRefused';
  }
}

export class NameNotResolved extends Error {
  constructor() {
    super('the name does not resolve');
    this.name = 'NameNotResolved';
  }
}

/**
 * SSRF protection for URLs that customers register: https to a public address. `check` runs when a
 * URL is registered; `mayCall` before and `publicAddresses` on every connection, because DNS
 * records change.
 */
export class UrlGuard {
  readonly #allowed: ReadonlySet<string>;
  readonly #dnsServers: readonly string[] | undefined;
  readonly isPublic: (address: string) => boolean;

  constructor({ allowedHosts, dnsServers, isPublic }: UrlGuardOptions) {
    this.isPublic = isPublic ?? isPublicAddress;
    this.#allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#dnsServers = dnsServers;
  }

  /** All checks of a URL at registration; null if it may be used. */
  async check(text: string, environment: Environment): Promise<UrlProblem | null> {
    const problem = this.mayCall(text, environment);
    if (problem) return problem;
    const url = new URL(text);
    if (this.isExempt(url.hostname, portOf(url))) return null;
    try {
      await this.publicAddresses(bareHost(url.hostname));
      return null;
    } catch (error) {
      return error instanceof AddressRefused ? 'address_not_public' : 'name_not_resolved';
    }
  }

  /** The checks that need no name server. */
  mayCall(text: string, environment: Environment): UrlProblem | null {
    if (text.length > maxUrlLength) return 'url_too_long';
    if (!URL.canParse(text)) return 'url_malformed';
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'scheme_not_https';
    if (url.username !== '' || url.password !== '') return 'credentials_in_url';
    if (this.isExempt(url.hostname, portOf(url))) return null;
    if (url.protocol !== 'https:') return 'scheme_not_https';
    if (environment === 'live' && !livePorts.has(portOf(url))) return 'port_not_allowed';
    const host = bareHost(url.hostname);
    return isIP(host) !== 0 && !this.isPublic(host) ? 'address_not_public' : null;
  }

  isExempt(hostname: string, port: string): boolean {
    const host = hostname.toLowerCase();
    return this.#allowed.has(host) || this.#allowed.has(`${host}:${port}`);
  }

  /**
   * The addresses of a name or literal, all of them public: one bad address refuses the name,
   * since the caller cannot choose which one a client would take.
   */
  async publicAddresses(host: string): Promise<string[]> {
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    if (!addresses.every(this.isPublic)) throw new AddressRefused();
    return addresses;
  }

  /**
   * Not getaddrinfo: it runs on four threads, so four names with silent servers would block all
   * other look-ups; it would also answer from the hosts file.
   */
  async #resolve(name: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: dnsTryMs });
    if (this.#dnsServers) resolver.setServers(this.#dnsServers);
    const deadline = setTimeout(() => resolver.cancel(), dnsDeadlineMs);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(deadline);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length === 0) throw new NameNotResolved();
    return addresses;
  }
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** Without the brackets of an IPv6 literal. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
