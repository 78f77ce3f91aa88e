export { mongoClient } from './mongodb.js';
export { type Mysql2Pool, mysqlPool } from './mysql2.js';
export { type PgPool, pgPool } from './pg.js';
export { type PostgresJs, postgresJs } from './postgres-js.js';
export type { PoolNames, PoolSource } from './report.js';
export { type PoolReporter, type PoolReporterOptions, startPoolReporter } from './start-pool-reporter.js';
