const sql = 'SELECT service, sum(requests) AS errors FROM requests_hour WHERE status >= 500 GROUP BY service';
const title = 'Database outage';
const monitor = {
  ...{ type: 'http', name: 'Checkout', url: 'https://shop.example.com/health' },
  ...{ everySeconds: 60, expectStatus: '200-299' },
};

const layer = {
  ...{ name: 'Weeks', people: ['ada@example.com', 'bob@example.com'] },
  ...{ handoff: '2026-12-07T09:00', every: { weeks: 1 } },
  hours: [{ from: '09:00', to: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] }],
};

/**
 * Bodies that requests may have, by the operation, where one that is made of the schema would be refused or say little.
 * test/contract/manage/matrix.test.ts sends them to the service.
 */
export const requestExamples: Readonly<Record<string, object>> = {
  previewPage: { name: 'Acme', accent: '#b45309', historyDays: 30 },
  checkHostname: { hostname: 'status.example.com' },
  createMonitor: { slug: 'checkout', ...monitor },
  putMonitor: monitor,
  putMonitorGroup: { name: 'Shop', names: { de: 'Laden' } },
  putMonitorOrder: { items: [{ group: null, monitors: [] }] },
  changeMonitor: { everySeconds: 30, failuresToDown: 2 },
  createChannel: {
    ...{ kind: 'slack', name: '#operations', quietHours: { from: '22:00', to: '07:00' } },
    settings: { url: 'https://hooks.slack.com/services/T0001/B0001/XXXXXXXX' },
  },
  changeChannel: { name: '#on-call', topics: ['monitor', 'failure-rate'] },
  putSchedule: { name: 'Backend', timeZone: 'Europe/Berlin', layers: [layer] },
  previewSchedule: { timeZone: 'Europe/Berlin', layers: [layer] },
  changeSchedule: { name: 'Backend and database' },
  addOverride: { person: 'bob@example.com', from: '2026-12-24T17:00:00Z', to: '2026-12-27T08:00:00Z' },
  putPolicy: {
    ...{ name: 'Backend', repeat: 2, defaultFor: ['page'] },
    steps: [
      { notify: [{ schedule: 'backend' }, { channel: '#operations' }], waitMinutes: 10 },
      { notify: [{ person: 'ada@example.com' }], waitMinutes: 30 },
    ],
  },
  changePolicy: { repeat: 3 },
  createContactWay: {
    ...{
      kind: 'ntfy',
      name: 'Phone',
      severities: ['page', 'ticket'],
      settings: { topic: 'ada-on-call-7Fq2' },
    },
    quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
  },
  changeContactWay: { name: 'Phone', severities: ['page'] },
  confirmContactWay: { code: '123456' },
  putAlertRule: { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100 },
  previewAlertRule: { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100 },
  putObjective: {
    ...{ name: 'Checkout is fast', target: 99.9, window: { days: 28 } },
    sli: { requests: { service: 'checkout', underMs: 300 } },
  },
  changeObjective: { target: 99.5, window: { calendar: 'month' } },
  putRule: {
    ...{ name: 'Checkout fails', kind: 'failure-rate', target: { service: 'shop', endpoint: '/checkout' } },
    ...{ condition: { percent: 5, windowMinutes: 5, requestsMin: 20 }, severity: 'page' },
  },
  previewRule: {
    ...{ name: 'Checkout fails', kind: 'failure-rate', target: { service: 'shop', endpoint: '/checkout' } },
    condition: { percent: 5, windowMinutes: 5, requestsMin: 20 },
  },
  changeRule: { condition: { percent: 2, windowMinutes: 5, requestsMin: 20 }, forSeconds: 60 },
  acknowledgeAlert: { note: 'Rolling back.' },
  resolveAlert: { note: 'It was a test.' },
  createSilence: { service: 'shop', minutes: 120, note: 'The database moves.' },
  announceDeployment: {
    ...{ service: 'checkout', version: '2.4.1', environment: 'production' },
    url: 'https://ci.example.com/runs/123',
  },
  putFigureExport: {
    ...{ endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1', bucket: 'acme-figures' },
    ...{ prefix: 'heartline/acme', accessKeyId: 'AKIAIOSFODNN7EXAMPLE' },
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    tables: ['requests_hour', 'checks'],
  },
  createKey: { scope: 'read', name: 'Grafana' },
  renameKey: { name: 'Grafana on eu-1' },
  runPageSql: { sql },
  estimatePageSql: { sql },
  createQuery: { name: 'Errors by service', sql, isShared: true },
  replaceQuery: { name: 'Errors by service', sql, isShared: true },
  putBoard: {
    ...{ name: 'Checkout', range: '24h', variables: { service: { initial: 'shop' } } },
    tiles: [
      {
        ...{ id: 'p95', title: 'Response times', x: 0, y: 0, width: 6, height: 4 },
        ...{ display: 'line', unit: 'ms', value: 'p95Ms' },
        source: { figure: { path: 'requests', parameters: { service: '{service}' } } },
      },
      {
        ...{ id: 'errors', title: 'Errors by service', x: 6, y: 0, width: 6, height: 4, display: 'table' },
        source: { sql },
      },
    ],
  },
  addStarterBoards: { slugs: ['golden-signals'] },
  createBoardShare: { name: 'Screen in the kitchen' },
  putTemplate: {
    ...{ name: title, title, summary: 'Connections time out.', monitorSlugs: [] },
    updates: [{ status: 'monitoring', body: 'The database is back.' }],
    texts: { de: { title: 'Datenbank nicht erreichbar', updates: ['Die Datenbank ist wieder da.'] } },
  },
  previewIncident: { title, summary: 'Connections time out.', language: 'en' },
  createMaintenanceSeries: {
    ...{ title: 'Database updates', summary: 'The shop is read-only.', monitorSlugs: [] },
    ...{ startsAt: '2027-01-03T02:00', timeZone: 'Europe/Berlin', durationMinutes: 60 },
    ...{ rule: 'FREQ=WEEKLY;BYDAY=SU', noticeDays: 7 },
  },
  previewMaintenanceSeries: {
    rule: 'FREQ=MONTHLY;BYDAY=2SU',
    startsAt: '2027-01-03T02:00',
    durationMinutes: 60,
  },
  changeMaintenanceSeries: { title: 'Updates of the database', noticeDays: 14 },
  openIncident: { title, summary: 'Connections time out.', monitorSlugs: [] },
  editIncident: { title, summary: 'Connections to the database time out.' },
  postMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  putPostmortem: { body: 'A disk was full, and nothing watched it.' },
  setIncidentTexts: { title: 'Datenbank nicht erreichbar', summary: 'Verbindungen brechen ab.' },
};
