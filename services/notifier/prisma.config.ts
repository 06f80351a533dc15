import { defineConfig } from 'prisma/config';

/** For Prisma's own commands in this folder, which act on one database: DATABASE_URL names it. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL },
});
