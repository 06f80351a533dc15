import type { Cipher } from '@countersign/kernel/cipher';
import type { Clock } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { PrismaClient } from '../generated/prisma/client.js';
import { newKeyPair, type Signer, signerOf } from './key-pair.js';

/** A key is published this long before its planned use, longer than verifiers cache the JWKS. */
const noticeMs = 24 * 3_600_000;

/** Advisory lock that serialises rotations. */
const rotationLock = 2_001;

interface KeyStoreOptions {
  environment: Environment;
  prisma: PrismaClient;
  cipher: Cipher;
  clock: Clock;
}

export type SigningKeyRow = Awaited<ReturnType<PrismaClient['signingKey']['findMany']>>[number];

/** The signing keys of one environment in its database, with sealed private halves. */
export class KeyStore {
  readonly #options: KeyStoreOptions;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** Safe to call on all replicas at once: unique indexes allow one ACTIVE and one NEXT key. */
  async ensure(): Promise<void> {
    const { prisma } = this.#options;
    const living = await prisma.signingKey.count({ where: { status: { in: ['ACTIVE', 'NEXT'] } } });
    if (living === 2) return;
    const data = [this.#newRow('ACTIVE'), this.#newRow('NEXT')];
    await prisma.signingKey.createMany({ data, skipDuplicates: true });
  }

  /** Oldest first. Includes retired keys, whose signatures remain valid. */
  list(): Promise<SigningKeyRow[]> {
    return this.#options.prisma.signingKey.findMany({ orderBy: [{ createdAt: 'asc' }] });
  }

  active(): Promise<SigningKeyRow | null> {
    return this.#options.prisma.signingKey.findFirst({ where: { status: 'ACTIVE' } });
  }

  /** Makes the NEXT key ACTIVE and the ACTIVE one RETIRED, and creates a new NEXT key. */
  async rotate(): Promise<{ activeKid: string; nextKid: string }> {
    await this.ensure();
    const now = this.#now();
    const fresh = this.#newRow('NEXT');
    return this.#options.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${rotationLock})`;
      const next = await tx.signingKey.findFirstOrThrow({ where: { status: 'NEXT' } });
      await tx.signingKey.updateMany({
        where: { status: 'ACTIVE' },
        data: { status: 'RETIRED', retiredAt: now, sealedPrivate: null, sealedBy: null },
      });
      const notBefore = new Date(Math.min(next.notBefore.getTime(), now.getTime()));
      await tx.signingKey.update({
        where: { kid: next.kid },
        data: { status: 'ACTIVE', activatedAt: now, notBefore },
      });
      await tx.signingKey.create({ data: fresh });
      return { activeKid: next.kid, nextKid: fresh.kid };
    });
  }

  /** Throws if the key was sealed with a secrets key that is not configured. */
  open({ kid, sealedPrivate, sealedBy }: SigningKeyRow): Signer {
    if (!sealedPrivate || sealedBy === null) throw new Error(`key ${kid} has no private half`);
    const sealed = { keyId: sealedBy, bytes: sealedPrivate };
    return signerOf(kid, this.#options.cipher.open(sealed, this.#place(kid)));
  }

  #newRow(status: 'ACTIVE' | 'NEXT') {
    const { kid, publicJwk, privatePem } = newKeyPair();
    const { keyId, bytes } = this.#options.cipher.seal(privatePem, this.#place(kid));
    const now = this.#now();
    const active = status === 'ACTIVE';
    return {
      kid,
      status,
      publicJwk: { ...publicJwk },
      sealedPrivate: new Uint8Array(bytes),
      sealedBy: keyId,
      notBefore: active ? now : new Date(now.getTime() + noticeMs),
      activatedAt: active ? now : null,
      createdAt: now,
    };
  }

  #place(kid: string): string {
    return `signing key ${this.#options.environment} ${kid}`;
  }

  #now(): Date {
    return new Date(this.#options.clock());
  }
}
