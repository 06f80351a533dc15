import { defineConfig } from 'prisma/config';

/** For Prisma's commands in this folder, which use the database of DATABASE_URL. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL },
});
