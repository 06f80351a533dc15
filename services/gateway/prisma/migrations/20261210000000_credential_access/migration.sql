-- What a credential may do beside what its scopes cover: everything, or nothing but read.
ALTER TABLE "credential" ADD COLUMN "access" TEXT NOT NULL DEFAULT 'full'
    CHECK ("access" IN ('full', 'read'));
