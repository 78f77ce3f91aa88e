import { Deployment } from '../contract/manage/deployments.js';
import { Nothing } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { formatFields, formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { pageOfIdOption, pageOption } from './page.js';

const listMax = 1_000;

const answer = Deployment;
const serviceOption = { value: 'SERVICE', help: 'the service, as its events name it' } as const;

export const deploymentCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'deployment announce',
    summary: 'say that a version of a service was deployed',
    help: `Announces a deployment, for a job that deploys. The charts of the service mark it, and alerts name it. Announcing the
same version in the same environment again changes its time and its URL.`,
    options: {
      page: pageOption,
      service: { ...serviceOption, required: true },
      version: { value: 'VERSION', help: 'such as 2.4.1, or the hash of a commit', required: true },
      environment: { value: 'NAME', help: 'such as production' },
      at: { value: 'TIME', help: 'when it came, such as 2027-01-31T23:00:00Z; now by default' },
      url: { value: 'URL', help: 'where the deployment can be looked at' },
    },
    json: '',
    async run({ client }, { page, ...body }) {
      const path = `${await client.pathOf(page)}/deployments`;
      const deployment = await client.send('POST', path, { answer, body });
      const { id, service, version, environment, at, firstSeenAt, url } = deployment;
      const text = formatFields([
        ['id', id],
        ['service', service],
        ['version', version],
        ['environment', environment ?? 'none'],
        ['at', at],
        ['first request', firstSeenAt ?? 'none yet'],
        ['url', url ?? 'none'],
      ]);
      return { json: deployment, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'deployment list',
    summary: 'list the versions that came to the services of a page',
    help: 'Lists deployments, newest first: those that a job announced, and those that were seen by their first request.',
    options: {
      page: pageOption,
      service: serviceOption,
      limit: {
        value: 'N',
        help: `at most this many, up to ${listMax}; 50 by default`,
        default: '50',
        parse: wholeNumber,
      },
    },
    json: '{"deployments": [...]}',
    async run({ client }, { page, service, limit }) {
      const filter = service === undefined ? '' : `?service=${encodeURIComponent(service)}`;
      const path = `${await client.pathOf(page)}/deployments${filter}`;
      const deployments = await client.list(path, answer, Math.min(limit, listMax));
      const headings = ['ID', 'SERVICE', 'VERSION', 'ENVIRONMENT', 'AT', 'ANNOUNCED', 'FIRST REQUEST', 'URL'];
      const rows = deployments.map((one) => [
        ...[one.id, one.service, one.version, one.environment ?? '', one.at],
        ...[one.announcedAt ?? '', one.firstSeenAt ?? '', one.url ?? ''],
      ]);
      return { json: { deployments }, text: formatTable(headings, rows, 'There is no such deployment.') };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'deployment remove',
    summary: 'delete a deployment',
    help: `Deletes a deployment, such as one that was announced by mistake. The figures of its version stay. ID is as in:
heartline deployment list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, ref) {
      const path = await client.pathTo('deployment', ref);
      const deployment = await client.send('GET', path, { answer });
      await client.send('DELETE', path, { answer: Nothing });
      const { service, version } = deployment;
      return { json: deployment, text: `The deployment of ${service} ${version} is deleted.\n` };
    },
  }),
];
