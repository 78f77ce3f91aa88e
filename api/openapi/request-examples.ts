const sql = 'SELECT service, sum(requests) AS errors FROM requests_hour WHERE status >= 500 GROUP BY service';
const title = 'Database outage';
const monitor = {
  ...{ type: 'http', name: 'Checkout', url: 'https://shop.example.com/health' },
  ...{ everySeconds: 60, expectStatus: '200-299' },
};

/**
 * Bodies that requests may have, by the operation, where one that is made of the schema would be refused or say little.
 * test/contract/manage/matrix.test.ts sends them to the service.
 */
export const requestExamples: Readonly<Record<string, object>> = {
  createMonitor: { slug: 'checkout', ...monitor },
  putMonitor: monitor,
  changeMonitor: { everySeconds: 30, failuresToDown: 2 },
  putAlertRule: { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100 },
  previewAlertRule: { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100 },
  createKey: { scope: 'read', name: 'Grafana' },
  renameKey: { name: 'Grafana on eu-1' },
  runPageSql: { sql },
  createQuery: { name: 'Errors by service', sql, isShared: true },
  replaceQuery: { name: 'Errors by service', sql, isShared: true },
  openIncident: { title, summary: 'Connections time out.', monitorSlugs: [] },
  editIncident: { title, summary: 'Connections to the database time out.' },
  postMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  setIncidentTexts: { title: 'Datenbank nicht erreichbar', summary: 'Verbindungen brechen ab.' },
};
