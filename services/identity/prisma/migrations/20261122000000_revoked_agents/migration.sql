-- AlterTable
ALTER TABLE "pending_fences" ADD COLUMN     "revoked" BOOLEAN NOT NULL DEFAULT false;
