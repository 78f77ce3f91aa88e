import t from 'tap';
import { ApplyFile } from '../../../contract/manage/apply.js';
import { makeRouteTable } from '../../support/route-table.js';

/** The section of the file that makes what a route makes. */
const sections: Readonly<Record<string, keyof typeof ApplyFile.properties>> = {
  ...{ createPage: 'page', createMonitor: 'monitors', putMonitor: 'monitors', putMonitorGroup: 'groups' },
  ...{
    createWebhook: 'webhooks',
    createChannel: 'channels',
    putChannel: 'channels',
    putAlertRule: 'alertRule',
  },
  ...{ createConnection: 'connections', putTemplate: 'templates' },
  ...{ putSchedule: 'schedules', putPolicy: 'policies', putObjective: 'objectives', putRule: 'rules' },
  ...{ putReportSettings: 'reports', putBoard: 'boards' },
};

const happens = 'it says what happens, and not how the page is set up';
const people = 'it belongs to people, who are invited and sign up themselves';
const secret = 'the service makes a secret that is shown once';
/** Why the file has no section for what a route makes. */
const reasons: Readonly<Record<string, string>> = {
  ...{ createIncident: happens, appendUpdate: happens, openIncident: happens, postUpdate: happens },
  ...{ setIncidentTexts: happens, putPostmortem: happens, createMaintenanceSeries: happens },
  announceDeployment: happens,
  addOverride: happens,
  ...{ acknowledgeAlert: happens, resolveAlert: happens, createSilence: happens },
  unacknowledgeAlert: happens,
  ...{ skipMaintenanceOccurrence: happens, addSubscriber: people, importSubscribers: people },
  ...{ createInvitation: people, createQuery: people, replaceQuery: people, createKey: secret },
  addStarterBoards: 'the boards that it makes are in the file',
  createBoardShare: secret,
  setLogo: 'a picture is no text of a file; heartline page set takes it',
  putMonitorOrder: 'new monitors and groups follow those that are there, whose order people set',
  setEventStore: 'moving events to another store is done once, and watched',
  putFigureExport: 'it needs a bucket that somebody makes and watches, and is set once',
};

/** Routes that change, try or send something that is there, and make nothing that stays. */
const actions =
  /^(change|edit|correct|rename|preview|estimate|check|pause|resume|try|test|replay|rotate|resend|send|lift|run|forget)[A-Z]/;

t.test('what can be created on a page can be applied, or says why not', async (t) => {
  const made = makeRouteTable()
    .routes.filter(
      ({ method, path }) => /^(POST|PUT)$/.test(method) && /^\/api\/v1\/(pages|incidents)/.test(path),
    )
    .map(({ operationId }) => operationId)
    .filter((operationId) => !actions.test(operationId));
  const known = [...Object.keys(sections), ...Object.keys(reasons)];
  t.strictSame([...made].sort(), [...known].sort());
  const used = new Set<string>(Object.values(sections));
  const unused = Object.keys(ApplyFile.properties).filter((name) => name !== '$schema' && !used.has(name));
  t.strictSame(unused, []);
});
