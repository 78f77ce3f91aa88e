import {
  Installation,
  JobRun,
  PrivateAddressChange,
  PrivateAddressState,
  TestMail,
} from '../../../contract/manage/installation.js';
import { changePrivateAddresses } from '../../../control/private-addresses/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** The state of the installation, its jobs, and what it allows. */
export function manageInstallationRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const { installation, privateAddresses, baseUrl } = deps;
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/installation',
      operationId: 'getInstallation',
      summary: 'Version, stores, instances, jobs and backlogs of the installation',
      permission: 'installation.write',
      answers: { 200: Installation },
      async manage({ ctx }) {
        ctx.body = await installation.load();
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/installation/test-mail',
      operationId: 'sendTestMail',
      summary: 'Send a test mail to the person who is signed in',
      description:
        'Send a test mail to the address of the person who is signed in, and answer with what the mail server said, within 15 seconds. A key has no address: the answer is then 403. It is 409 without a mail server',
      permission: 'installation.write',
      answers: { 200: TestMail },
      errors: ['conflict'],
      async manage({ ctx, by, caller }) {
        if (caller.type !== 'user') {
          throw new ServiceError('notAllowed', {
            message: 'A test mail goes to the person who asks for it; sign in to send one.',
          });
        }
        const { email: to, language } = caller.user;
        ctx.body = await installation.sendTestMail(
          { to, language: language ?? 'en', baseUrl: baseUrl() },
          by,
        );
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/jobs/:name/run',
      operationId: 'runJob',
      summary: 'Run a job now',
      description:
        'Run a job now, whether or not it is due. A run that takes longer than a few seconds goes on after the answer, which is then 202',
      permission: 'installation.write',
      answers: { 200: JobRun, 202: JobRun },
      errors: ['notFound', 'conflict'],
      async manage({ ctx, by, params }) {
        const run = await installation.runJob(params['name'] ?? '', by);
        ctx.status = run.state === 'running' ? 202 : 200;
        ctx.body = run;
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/installation/private-addresses',
      operationId: 'getPrivateAddresses',
      summary: 'Whether what pages watch and call may be in private networks',
      permission: 'installation.write',
      answers: { 200: PrivateAddressState },
      async manage({ ctx }) {
        await privateAddresses.refresh();
        ctx.body = privateAddresses.current();
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: '/api/v1/installation/private-addresses',
      operationId: 'changePrivateAddresses',
      summary: 'Allow or refuse private addresses',
      description:
        'Allow or refuse private addresses for monitors, webhooks, channels and event stores of all pages. Every instance follows within two seconds. A 409 when the environment decides',
      permission: 'installation.write',
      body: { schema: PrivateAddressChange, bytesMax: 1_000 },
      answers: { 200: PrivateAddressState },
      errors: ['conflict'],
      async manage({ ctx, by, body: { allowed } }) {
        if (allowed !== undefined && privateAddresses.current().decidedBy === 'environment') {
          throw new ServiceError('conflict', {
            message:
              'HEARTLINE_ALLOW_PRIVATE_ADDRESSES is set for the service and decides. Remove it from the environment, and start the service again.',
          });
        }
        if (allowed !== undefined) await changePrivateAddresses({ ...deps, by }, allowed);
        await privateAddresses.refresh();
        ctx.body = privateAddresses.current();
      },
    }),
  ];
}
