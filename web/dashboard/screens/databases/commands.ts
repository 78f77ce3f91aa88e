/** An observation of a server by hand: the smallest thing that shows something. `origin` has no slash at its end. */
export function observationCommand(origin: string): string {
  return `curl ${origin}/api/v1/database-health/observations \\
  -H "Authorization: Bearer $INGEST_KEY" -H 'Content-Type: application/json' -d '{
  "version": 1, "observationId": "'$(uuidgen | tr A-Z a-z)'",
  "sourceId": "orders-db", "environment": "production", "target": "orders", "connectionId": null,
  "sample": {
    "result": {"engine": "postgresql", "outcome": "connected", "checkedAt": "'$(date -u +%FT%TZ)'",
               "latencyMs": 3.2, "capabilities": []},
    "measurements": {"connections": 17, "connectionLimit": 100, "activeSessions": 4, "blockedSessions": 0}
  }
}'`;
}

/** Reports the pools of a Node.js process each minute. */
export function reporterCode(origin: string): string {
  return `import { pgPool, startPoolReporter } from '@heartline/pool-reporter';

startPoolReporter({
  url: '${origin}', key: ingestKey,
  service: 'checkout', environment: 'production', revision: 'f3c9a51',
  pools: [pgPool(pool, { target: 'orders', pool: 'main' })],
});`;
}
